#include "sim/sysc/systemc_executor.h"
#include "tests/contract/executor_contract.h"

namespace bw::contract {
namespace {

BW_EXECUTOR_CONTRACT(Systemc, [](const hwconfig::HwConfig& config) {
  return std::make_unique<sysc::SystemcExecutor>(config);
});

}  // namespace
}  // namespace bw::contract
