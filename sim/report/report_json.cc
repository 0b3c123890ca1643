#include "sim/report/report_json.h"

#include <fmt/format.h>

#include <map>

#include "models/hwconfig/hw_config.h"
#include "sim/report/layer_json.h"
#include "sim/report/versions.h"

namespace bw::report {
namespace {

using cosim::RunResult;

Json NetworkJson(const RunResult& result) {
  const graph::IntGraph& ints = result.prepared.ints;
  int64_t macs = 0, parameters = 0;
  for (const graph::IntNode& node : ints.nodes) macs += graph::CountMacs(ints, node);
  for (const graph::IntValue& value : ints.values) {
    parameters += static_cast<int64_t>(value.constant.size());
  }
  const auto tensors = [&ints](const std::vector<graph::IntValueId>& ids) {
    Json list = Json::array();
    for (const graph::IntValueId id : ids) {
      const graph::IntValue& value = ints.value(id);
      list.push_back({{"name", value.name},
                      {"shape", value.shape.dims},
                      {"bits", value.bits},
                      {"scale", value.scale},
                      {"zero_point", value.zero_point}});
    }
    return list;
  };
  return {{"name", result.prepared.graph.name},
          {"file", result.prepared.graph.file},
          {"inputs", tensors(ints.inputs)},
          {"outputs", tensors(ints.outputs)},
          {"layers", ints.nodes.size()},
          {"macs", macs},
          {"parameters", parameters}};
}

// Numbers and flags as such, all else as text.
Json ParameterValue(const hwconfig::Parameter& parameter) {
  if (parameter.type == "integer" || parameter.type == "power of two") return parameter.number;
  if (parameter.type == "flag") return parameter.number != 0;
  return parameter.value;
}

Json NpuJson(const hwconfig::HwConfig& config) {
  Json parameters, units;
  hwconfig::ForEachParameter(config, [&](const hwconfig::Parameter& parameter) {
    parameters[parameter.key] = ParameterValue(parameter);
    if (!parameter.unit.empty()) units[parameter.key] = parameter.unit;
  });
  return {{"name", config.name},
          {"hash", hwconfig::HashHex(config)},
          {"parameters", parameters},
          {"units", units}};
}

Json QuantisationJson(const cosim::Prepared& prepared) {
  const calibrate::Recipe& recipe = prepared.recipe;
  return {{"recipe", recipe.name},
          {"mode", std::string(calibrate::ToString(recipe.mode))},
          {"profile", std::string(prepared.profile.name)},
          {"rounding", std::string(arith::ToString(prepared.profile.rounding))},
          {"mult_bits", prepared.profile.mult_bits},
          {"act_bits", recipe.ActBits(prepared.config)},
          {"weight_bits", recipe.WeightBits(prepared.config)},
          {"weights", std::string(calibrate::ToString(recipe.weights))},
          {"calibration", std::string(calibrate::ToString(recipe.calibration))},
          {"calibrated_with", prepared.calibrated_with},
          {"calibration_samples", prepared.calibration_samples}};
}

Json AccuracyJson(const cosim::Accuracy& accuracy) {
  const auto number = [](const std::optional<double>& v) { return v ? Json(*v) : Json(nullptr); };
  return {{"samples", accuracy.samples},
          {"float_top1", number(accuracy.float_top1)},
          {"int_top1", number(accuracy.int_top1)},
          {"agreement", number(accuracy.agreement)}};
}

Json ExecutorsJson(const RunResult& result) {
  Json executors;
  executors["golden"] = {
      {"reference", true}, {"match", nullptr}, {"samples", result.prepared.samples.size()}};
  for (const auto& [name, machine] : result.machines) {
    Json shown = machine;
    shown.erase("seconds");
    shown.erase("statistics");
    shown.erase("timeline");
    shown["cycles"] =
        machine["statistics"].is_null() ? Json(nullptr) : machine["statistics"]["cycles"];
    executors[name] = shown;
  }
  return executors;
}

// The executor whose times are shown: sysc, else rtl, else none.
struct Timed {
  std::string name;
  const Json* statistics = nullptr;
  const Json* timeline = nullptr;
};
Timed TimedExecutor(const RunResult& result) {
  for (const char* wanted : {"sysc", "rtl"}) {
    for (const auto& [name, machine] : result.machines) {
      if (name != wanted || machine["statistics"].is_null()) continue;
      return {name, &machine["statistics"], &machine["timeline"]};
    }
  }
  return {};
}

Json LayersJson(const RunResult& result, const Json* statistics) {
  std::map<std::string, Json> timing;  // by layer
  if (statistics != nullptr) {
    for (size_t i = 0; i < result.program.layers.size(); ++i) {
      timing[result.program.layers[i].name] = (*statistics)["layers"].at(i);
    }
  }
  Json layers = Json::array();
  for (size_t i = 0; i < result.prepared.ints.nodes.size(); ++i) {
    const auto at = timing.find(result.prepared.ints.nodes[i].name);
    layers.push_back(LayerJson(result, i, at == timing.end() ? Json() : at->second));
  }
  return layers;
}

// A page with more bars than this helps nobody; the Perfetto trace has them all.
Json TimelineFor(const Json* timeline) {
  constexpr size_t kMostEvents = 6000;
  return timeline != nullptr && timeline->size() <= kMostEvents ? *timeline : Json::array();
}

Json HostOpsJson(const RunResult& result) {
  const graph::IntGraph& ints = result.prepared.ints;
  int64_t all = 0;
  for (const graph::IntNode& node : ints.nodes) all += ints.value(node.output).shape.Elements();
  Json ops = Json::array();
  for (const graph::IntNode& node : ints.nodes) {
    if (!graph::IsHostNode(node)) continue;
    const int64_t elements = ints.value(node.output).shape.Elements();
    ops.push_back({{"layer", node.name},
                   {"operator", std::string(graph::ToString(node.op))},
                   {"elements", elements},
                   {"share_of_elements", static_cast<double>(elements) /
                                             static_cast<double>(std::max<int64_t>(all, 1))}});
  }
  return ops;
}

Json WarningsJson(const RunResult& result) {
  Json warnings = Json::array();
  const cosim::Prepared& prepared = result.prepared;
  if (prepared.samples.random()) {
    warnings.push_back(
        fmt::format("no --input: {} random samples were used, so accuracy and ranges "
                    "mean nothing",
                    prepared.samples.size()));
  }
  for (const std::string& text : prepared.ints.warnings) warnings.push_back(text);
  for (const std::string& text : result.program.warnings) warnings.push_back(text);
  for (size_t i = 0; i < result.layers.size(); ++i) {
    if (result.layers[i].counts.overflows == 0) continue;
    warnings.push_back(fmt::format("{}: {} accumulations left {} bits and wrapped",
                                   prepared.ints.nodes[i].name, result.layers[i].counts.overflows,
                                   prepared.ints.acc_bits));
  }
  return warnings;
}

Json WallJson(const RunResult& result) {
  Json wall;
  for (const auto& [stage, seconds] : result.prepared.times) wall[stage] = seconds;
  for (const auto& [name, machine] : result.machines) wall["executor " + name] = machine["seconds"];
  return wall;
}

std::string Quoted(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

// Numbers as JSON writes them, nothing for null.
std::string Cell(const Json& value) {
  if (value.is_null()) return "";
  return value.is_string() ? Quoted(value.get<std::string>()) : value.dump();
}

int64_t SumOf(const Json& object) {
  int64_t sum = 0;
  if (object.is_object()) {
    for (const auto& [key, value] : object.items()) sum += value.get<int64_t>();
  }
  return sum;
}

}  // namespace

Json MakeReport(const RunResult& result, const std::string& command) {
  const auto [timed, statistics, timeline] = TimedExecutor(result);
  Json report;
  report["format"] = 1;
  report["command"] = command;
  report["network"] = NetworkJson(result);
  report["npu"] = NpuJson(result.program.config);
  report["quantisation"] = QuantisationJson(result.prepared);
  report["input"] = {{"source", result.prepared.samples.source()},
                     {"samples", result.prepared.samples.size()},
                     {"random", result.prepared.samples.random()}};
  report["sim_samples"] = result.sim_samples;
  report["accuracy"] = AccuracyJson(result.accuracy);
  report["executors"] = ExecutorsJson(result);
  report["cycles"] = statistics ? (*statistics)["cycles"] : Json(nullptr);
  report["busy_cycles"] = statistics ? (*statistics)["busy_cycles"] : Json(nullptr);
  report["cycles_from"] = statistics ? Json(timed) : Json(nullptr);
  report["milliseconds"] = nullptr;
  if (statistics) {
    report["milliseconds"] = (*statistics)["cycles"].get<double>() /
                             (static_cast<double>(result.program.config.clock_mhz) * 1e3);
  }
  report["instructions"] = result.program.code.size();
  report["layers"] = LayersJson(result, statistics);
  report["timing"] =
      statistics && statistics->contains("engines") ? (*statistics)["engines"] : Json(nullptr);
  report["timeline"] = TimelineFor(timeline);
  report["host_ops"] = HostOpsJson(result);
  report["warnings"] = WarningsJson(result);
  report["versions"] = VersionsJson();
  report["wall_seconds"] = WallJson(result);
  return report;
}

std::string LayersCsv(const Json& report) {
  std::string csv =
      "index,name,operator,class,shape,bits,macs,cycles,utilisation,bytes,stall_cycles,sqnr_db,"
      "overflows,saturations\n";
  for (const Json& layer : report.at("layers")) {
    std::string shape;
    for (const Json& extent : layer["shape"]) shape += (shape.empty() ? "" : "x") + extent.dump();
    csv += fmt::format(
        "{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", Cell(layer["index"]), Cell(layer["name"]),
        Cell(layer["operator"]), Cell(layer["class"]), shape, Cell(layer["bits"]),
        Cell(layer["macs"]), Cell(layer["cycles"]), Cell(layer["utilisation"]),
        layer["bytes"].is_null() ? "" : std::to_string(SumOf(layer["bytes"])),
        layer["stalls"].is_null() ? "" : std::to_string(SumOf(layer["stalls"])),
        Cell(layer["sqnr_db"]), Cell(layer["overflows"]), Cell(layer["saturations"]));
  }
  return csv;
}

}  // namespace bw::report
