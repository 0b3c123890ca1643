// Where the integer path differs from the float one on the ONNX project's node tests.
#ifndef TESTS_CONFORMANCE_INT_CASES_H_
#define TESTS_CONFORMANCE_INT_CASES_H_

#include <vector>

#include "tests/conformance/onnx_cases.h"

namespace bw::conformance {

enum class Gap {
  kNoForm,      // lowering refuses it
  kDoesNotFit,  // some of the machines are too small
  kTooCoarse,   // its data leave nothing of the result at 8 and 12 bits
};

// A case that runs in float. `message` is part of the error of lowering or of compiling.
struct IntGap {
  const char* prefix;  // of the case's name
  Gap gap;
  const char* reason;
  const char* message;
};
const std::vector<IntGap>& IntGaps();
// The row for a case, or null.
const IntGap* FindIntGap(const OnnxCase& c);

}  // namespace bw::conformance

#endif  // TESTS_CONFORMANCE_INT_CASES_H_
