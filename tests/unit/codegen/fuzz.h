// Random networks on random small machines.
#ifndef TESTS_UNIT_CODEGEN_FUZZ_H_
#define TESTS_UNIT_CODEGEN_FUZZ_H_

#include <cstdint>
#include <string>

#include "compiler/codegen/compile.h"
#include "compiler/graph/int_graph.h"

namespace bw::codegen {

struct FuzzCase {
  graph::IntGraph graph;
  hwconfig::HwConfig config;
  CompileOptions options;
};
FuzzCase MakeFuzzCase(uint32_t seed);

struct FuzzCounts {
  int compiled = 0;   // and agreed
  int too_large = 0;  // refused: does not fit the machine
  int64_t elements = 0;
  std::string failure;  // of the first seed that disagreed
};
// Seeds first .. first + count - 1; stops at the first failure.
FuzzCounts Fuzz(uint32_t first, uint32_t count);

}  // namespace bw::codegen

#endif  // TESTS_UNIT_CODEGEN_FUZZ_H_
