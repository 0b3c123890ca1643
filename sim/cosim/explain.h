// One element of one layer, computed again with everything that went into it.
#ifndef SIM_COSIM_EXPLAIN_H_
#define SIM_COSIM_EXPLAIN_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "compiler/graph/int_graph.h"
#include "models/golden/int_tensor.h"

namespace bw::cosim {

// "kind", then what that kind has: "operands" (where and value; with "weight" and where for
// products; the first 16 whose product is not 0, "terms" says how many there are), "bias",
// "accumulator" or "sum" or "product" (what is requantised), "channel", "m", "s", "zp", "lo", "hi",
// "rounding", and always "result".
using Explanation = nlohmann::ordered_json;

// Element `at` (row-major) of the output of `graph.nodes[node]`. `inputs` are the node's operands
// in its order, constants among them. Host nodes give their kind alone.
Explanation Explain(const graph::IntGraph& graph, size_t node,
                    const std::vector<const golden::IntTensor*>& inputs, int64_t at);

// One line: "acc 1234 = bias 7 + 144 products; round(1234 * 33193 / 2^21) + 0 in -127..127 = 20".
std::string OneLine(const Explanation& explanation);

// Index along every axis of element `at`, row-major.
std::vector<int64_t> Coordinates(const tensor::Shape& shape, int64_t at);

}  // namespace bw::cosim

#endif  // SIM_COSIM_EXPLAIN_H_
