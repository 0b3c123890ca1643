// Runs a program on the ISS and on the SystemC machine, on the same inputs, and compares every
// probed layer and all of DRAM that the program uses.
#ifndef TESTS_UNIT_SYSC_RUN_PAIR_H_
#define TESTS_UNIT_SYSC_RUN_PAIR_H_

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/isa/program.h"
#include "models/machine/executor.h"
#include "sim/sysc/systemc_executor.h"

namespace bw::sysc {

// What a run shows: the layers as probed, and DRAM.
struct Observed {
  std::string error;
  std::vector<std::vector<int32_t>> layers;
  std::vector<uint8_t> dram;
  int64_t elements = 0;  // probed

  bool operator==(const Observed& o) const {
    return error == o.error && layers == o.layers && dram == o.dram;
  }
};

// Inputs are random values of their types.
Observed RunOn(machine::Executor& executor, const isa::Program& program, uint32_t input_seed);
Observed RunOnIss(const isa::Program& program, uint32_t input_seed);
// The first difference, in words; empty when there is none.
std::string Difference(const isa::Program& program, const Observed& got, const Observed& want);

}  // namespace bw::sysc

#endif  // TESTS_UNIT_SYSC_RUN_PAIR_H_
