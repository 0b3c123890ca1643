#include "compiler/lower/weights.h"

#include <fmt/format.h>

namespace bw::lower {

std::vector<double> RequantReals(const QuantisedWeights& weights, double in_scale,
                                 double out_scale) {
  std::vector<double> reals;
  for (double scale : weights.scales) reals.push_back(in_scale * scale / out_scale);
  return reals;
}

Result<std::vector<double>> ConstantReals(Builder& b, int index, size_t input,
                                          std::string_view role) {
  const graph::Node& node = b.float_graph().nodes[static_cast<size_t>(index)];
  const graph::Value& value = b.float_graph().value(node.inputs[input]);
  if (!value.constant) {
    return b.NodeError(index, fmt::format("the {} '{}' is not constant", role, value.name),
                       "only constant ones have an integer form");
  }
  return value.constant->ToF64();
}

}  // namespace bw::lower
