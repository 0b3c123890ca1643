// How far an integer network may be from the float network, derived from the integer graph.
#ifndef TESTS_CONFORMANCE_ERROR_BUDGET_H_
#define TESTS_CONFORMANCE_ERROR_BUDGET_H_

#include <vector>

#include "compiler/graph/int_graph.h"
#include "models/golden/int_tensor.h"

namespace bw::conformance {

// Error of a value, in its own steps. Every rounding adds at most half a step (a whole one in modes
// that do not round to the nearest), and 1 / sqrt(12) of a step as a standard deviation when
// roundings are independent. Through the operators, with e the input's error, s a scale, Q the
// largest |q| of the type, r a requantisation as a real number, B the bits of the multiplier and
// R = 1/2 + Q * 2^-B (rounding to the output's step; the error of the multiplier):
//   Conv, MatMul     r * sum over k of (|w| e + (Q + e) / 2) + r / 2 for the bias + R; the second
//                    term is the rounding of the weight
//   MatMul of two    r * K * (Qa eb + Qb ea + ea eb) + R
//   Add, Sub         (sa ea + sb eb) / so + half a step of the aligned sum, and of its stage 1,
//                    + min(sa, sb) / so * Q * 2^-B for the aligned operand, + R
//   Mul              sa sb / so * (Qa eb + Qb ea + ea eb) + R
//   Requant          r e + R (relu and clip: a threshold is rounded as any value is)
//   sum pool         n r e + R
//   max pool, layout e; Concat the largest of its inputs; Pad at least half a step
//   Lut              (slope of the table) e + 1/2; interpolated: + 1/2 + second difference / 4
//   Softmax          tanh(s e / 2) in output steps + R: two logits apart by 2 s e more or less
// A second slope for negative values multiplies by it where it is above 1. The standard deviation
// takes the same terms as a sum of squares.
struct StepError {
  double worst = 0;
  double sigma = 0;
  // What a comparison allows: the worst case, or 6 standard deviations where a long sum makes the
  // worst case meaningless.
  double Budget() const;
};

// By value of the graph. An input that is all 0 is exact (its scale, 1, means nothing).
std::vector<StepError> StepErrors(const graph::IntGraph& graph,
                                  const std::vector<golden::IntTensor>& inputs, int mult_bits);

}  // namespace bw::conformance

#endif  // TESTS_CONFORMANCE_ERROR_BUDGET_H_
