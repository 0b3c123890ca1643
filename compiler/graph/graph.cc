#include "compiler/graph/graph.h"

#include <algorithm>

#include "models/status/check.h"

namespace bw::graph {
namespace {

template <typename T>
const T& Get(const Node& node, const std::string& name) {
  const auto it = node.attributes.find(name);
  BW_CHECK(it != node.attributes.end(), "{} {} has no attribute {}", ToString(node.op), node.name,
           name);
  const T* value = std::get_if<T>(&it->second);
  BW_CHECK(value != nullptr, "{} {}: attribute {} has type index {}", ToString(node.op), node.name,
           name, it->second.index());
  return *value;
}

bool Lists(const std::vector<ValueId>& ids, ValueId id) {
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

}  // namespace

bool SameNumbers(const Quantisation& a, const Quantisation& b) {
  return a.scales == b.scales && a.zero_points == b.zero_points && a.axis == b.axis &&
         a.bits == b.bits && a.is_signed == b.is_signed;
}

int64_t Node::Int(const std::string& key) const { return Get<int64_t>(*this, key); }
double Node::Float(const std::string& key) const { return Get<double>(*this, key); }
const std::string& Node::String(const std::string& key) const {
  return Get<std::string>(*this, key);
}
const std::vector<int64_t>& Node::Ints(const std::string& key) const {
  return Get<std::vector<int64_t>>(*this, key);
}

ValueId Graph::AddValue(Value value) {
  values.push_back(std::move(value));
  return static_cast<ValueId>(values.size() - 1);
}

int Graph::Producer(ValueId id) const {
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (Lists(nodes[i].outputs, id)) return static_cast<int>(i);
  }
  return -1;
}

std::vector<int> Graph::Consumers(ValueId id) const {
  std::vector<int> found;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (Lists(nodes[i].inputs, id)) found.push_back(static_cast<int>(i));
  }
  return found;
}

bool Graph::IsOutput(ValueId id) const { return Lists(outputs, id); }

}  // namespace bw::graph
