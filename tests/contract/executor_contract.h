// One suite for every executor of programs: small programs whose results are worked out by the
// naive machine. An executor takes part with one line in a file of its own:
//   BW_EXECUTOR_CONTRACT(Iss, [](const hwconfig::HwConfig& c) { return std::make_unique<...>(c);
//   });
#ifndef TESTS_CONTRACT_EXECUTOR_CONTRACT_H_
#define TESTS_CONTRACT_EXECUTOR_CONTRACT_H_

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "models/machine/executor.h"
#include "tests/support/program_builder.h"
#include "tests/support/random.h"

namespace bw::contract {

using Factory = std::function<std::unique_ptr<machine::Executor>(const hwconfig::HwConfig& config)>;

struct ContractCase {
  std::string name;
  // Builds one program; `random` differs from round to round.
  std::function<void(testing::ProgramBuilder&, testing::Random&)> build;
  // On top of configs/npu/tiny.yaml.
  std::vector<hwconfig::Override> config;
  int rounds = 12;
};

void PrintTo(const ContractCase& contract_case, std::ostream* out);

std::vector<ContractCase> TransferCases();
std::vector<ContractCase> MacCases();
std::vector<ContractCase> PpuCases();
std::vector<ContractCase> ProgramCases();
std::vector<ContractCase> AllContractCases();

// Runs the case's programs one after the other on one executor, each on two images of DRAM, and
// compares DRAM and what was written of the scratchpad, byte for byte.
void CheckExecutor(const Factory& factory, const ContractCase& contract_case);

}  // namespace bw::contract

#define BW_EXECUTOR_CONTRACT(executor, ...)                                                    \
  class executor##Contract : public ::testing::TestWithParam<::bw::contract::ContractCase> {}; \
  TEST_P(executor##Contract, AgreesWithTheNaiveMachine) {                                      \
    ::bw::contract::CheckExecutor(__VA_ARGS__, GetParam());                                    \
  }                                                                                            \
  INSTANTIATE_TEST_SUITE_P(Executor, executor##Contract,                                       \
                           ::testing::ValuesIn(::bw::contract::AllContractCases()),            \
                           [](const auto& info) { return info.param.name; })

#endif  // TESTS_CONTRACT_EXECUTOR_CONTRACT_H_
