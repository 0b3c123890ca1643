#include "models/iss/hazard_checker.h"
#include "models/iss/iss.h"
#include "tests/contract/executor_contract.h"

namespace bw::contract {
namespace {

// The untimed machine with its checker at work: what the suite calls right has no hazards.
class CheckedIss : public iss::Iss {
 public:
  explicit CheckedIss(const hwconfig::HwConfig& config) : iss::Iss(config) { Watch(&checker_); }

 private:
  iss::HazardChecker checker_;
};

BW_EXECUTOR_CONTRACT(Iss, [](const hwconfig::HwConfig& config) {
  return std::make_unique<CheckedIss>(config);
});

}  // namespace
}  // namespace bw::contract
