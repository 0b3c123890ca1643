// Random quantised ONNX models with their results, computed here from the definitions in plain
// int64 and double: no code is shared with what is tested.
#ifndef TESTS_CONFORMANCE_QUANTISED_CASE_H_
#define TESTS_CONFORMANCE_QUANTISED_CASE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "models/tensor/tensor.h"

namespace bw::conformance {

enum class QuantisedKind {
  kQLinearConv,
  kConvInteger,
  kQdqConv,  // QuantizeLinear and DequantizeLinear around a Conv
  kQLinearMatMul,
  kMatMulInteger,
  kQdqGemm,
};
inline constexpr int kQuantisedKinds = 6;
const char* ToString(QuantisedKind kind);

struct QuantisedCase {
  QuantisedKind kind{};
  std::string bytes;                   // the model
  std::vector<tensor::Tensor> inputs;  // integers, or float32 for QDQ
  tensor::Tensor expected;
  // Scales are powers of two: reals are exact, and many results lie between two integers.
  bool exact_reals = false;
  bool zero_point_a_channel = false;  // of the weights, and they differ
  int64_t ties = 0;                   // results that do
  int64_t saturated = 0;              // results at the ends of their type
};

QuantisedCase MakeQuantisedCase(QuantisedKind kind, uint32_t seed);

}  // namespace bw::conformance

#endif  // TESTS_CONFORMANCE_QUANTISED_CASE_H_
