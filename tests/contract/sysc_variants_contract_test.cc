// The SystemC machine with random stalls and another order of its processes, and with the other
// dataflow.
#include "sim/sysc/systemc_executor.h"
#include "tests/contract/executor_contract.h"

namespace bw::contract {
namespace {

BW_EXECUTOR_CONTRACT(SystemcStalledAndPermuted, [](const hwconfig::HwConfig& config) {
  sysc::SystemcOptions options;
  options.stall_seed = 11;
  options.order_seed = 5;
  return std::make_unique<sysc::SystemcExecutor>(config, options);
});

std::vector<ContractCase> OutputStationaryCases() {
  std::vector<ContractCase> cases = MacCases();
  for (ContractCase& contract_case : cases) {
    contract_case.config.push_back({"array.dataflow", "os", ""});
  }
  return cases;
}

class SystemcOutputStationaryContract : public ::testing::TestWithParam<ContractCase> {};
TEST_P(SystemcOutputStationaryContract, AgreesWithTheNaiveMachine) {
  CheckExecutor(
      [](const hwconfig::HwConfig& config) {
        return std::make_unique<sysc::SystemcExecutor>(config);
      },
      GetParam());
}
INSTANTIATE_TEST_SUITE_P(Executor, SystemcOutputStationaryContract,
                         ::testing::ValuesIn(OutputStationaryCases()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace bw::contract
