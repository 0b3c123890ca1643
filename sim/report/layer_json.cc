#include "sim/report/layer_json.h"

#include <algorithm>
#include <cmath>
#include <variant>

#include "compiler/graph/op.h"

namespace bw::report {
namespace {

using graph::IntGraph;
using graph::IntNode;

// Kinds and positions of all requantisations of a node.
struct Scales {
  std::vector<arith::Requant> entries;

  void operator()(const graph::IntConv& p) { Take(p.requant); }
  void operator()(const graph::IntMatMul& p) { Take(p.requant); }
  void operator()(const graph::IntAdd& p) { Take(p.requant); }
  void operator()(const graph::IntMul& p) { Take(p.requant); }
  void operator()(const graph::IntRequant& p) { Take(p.requant); }
  void operator()(const graph::IntPool& p) {
    for (const auto& [count, r] : p.by_count) entries.push_back(r);
  }
  template <typename Other>
  void operator()(const Other&) {}

 private:
  void Take(const graph::RequantSet& set) {
    entries = set.entries;
    entries.insert(entries.end(), set.negative.begin(), set.negative.end());
  }
};

// Smallest and largest M and S, and how many channels vanished (M = 0); null without any.
Json ScaleSummary(const IntNode& node) {
  Scales scales;
  std::visit(scales, node.params);
  if (scales.entries.empty()) return nullptr;
  const auto by_m = [](const auto& a, const auto& b) { return a.m < b.m; };
  const auto by_s = [](const auto& a, const auto& b) { return a.s < b.s; };
  const auto [m_low, m_high] =
      std::minmax_element(scales.entries.begin(), scales.entries.end(), by_m);
  const auto [s_low, s_high] =
      std::minmax_element(scales.entries.begin(), scales.entries.end(), by_s);
  const auto zero = std::count_if(scales.entries.begin(), scales.entries.end(),
                                  [](const auto& r) { return r.m == 0; });
  return {{"entries", scales.entries.size()},
          {"m_min", m_low->m},
          {"m_max", m_high->m},
          {"s_min", s_low->s},
          {"s_max", s_high->s},
          {"vanished", zero}};
}

// JSON has no infinity: equal to float is null with "exact" set.
void AddNoise(const std::optional<double>& sqnr_db, Json* json) {
  const bool number = sqnr_db && std::isfinite(*sqnr_db);
  (*json)["sqnr_db"] = number ? Json(*sqnr_db) : Json(nullptr);
  (*json)["exact"] = sqnr_db && *sqnr_db > 0 && std::isinf(*sqnr_db);
}

// Of the cycles that the layer adds to the run. Layers overlap: what the array did for it while the
// layer before was still finishing counts too, so that one layer can exceed 1; the whole run
// cannot.
double Utilisation(uint64_t macs, const Json& timing, const hwconfig::HwConfig& config) {
  const double cycles = timing["cycles"].get<double>();
  const auto cells = static_cast<double>(config.array_rows * config.array_cols);
  return cycles > 0 ? static_cast<double>(macs) / (cycles * cells) : 0;
}

}  // namespace

Json LayerJson(const cosim::RunResult& result, size_t node_index, const Json& timing) {
  const IntGraph& ints = result.prepared.ints;
  const IntNode& node = ints.nodes[node_index];
  const graph::IntValue& value = ints.value(node.output);
  const auto macs = static_cast<uint64_t>(graph::CountMacs(ints, node));
  const cosim::LayerNumbers& numbers = result.layers[node_index];
  Json json;
  json["index"] = node_index;
  json["name"] = node.name;
  json["operator"] = std::string(graph::ToString(node.op));
  json["kind"] = std::string(graph::KindName(node.params));
  json["class"] = std::string(1, graph::ClassLetter(graph::Info(node.op).op_class));
  json["fused"] = node.fused;
  json["shape"] = value.shape.dims;
  json["bits"] = value.bits;
  json["scale"] = value.scale;
  json["requantise"] = ScaleSummary(node);
  json["macs"] = macs;
  json["host"] = graph::IsHostNode(node);
  if (timing.is_null()) {
    for (const char* key : {"cycles", "engine", "busy", "stalls", "bytes", "utilisation"}) {
      json[key] = nullptr;
    }
  } else {
    json["cycles"] = timing["cycles"];
    for (const char* key : {"engine", "busy", "stalls"}) json[key] = timing[key];
    json["bytes"] = timing["bytes"];
    json["utilisation"] = Utilisation(macs, timing, result.program.config);
  }
  AddNoise(numbers.sqnr_db, &json);
  json["overflows"] = numbers.counts.overflows;
  json["saturations"] = numbers.counts.saturations;
  return json;
}

}  // namespace bw::report
