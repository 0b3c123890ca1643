#include "sim/cosim/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace bw::cosim {
namespace {

using golden::IntTensor;

// Pooling windows and table lookups happen in front of the pipeline that the RTL describes.
bool HasRtl(isa::Opcode opcode) {
  return opcode == isa::Opcode::kRq || opcode == isa::Opcode::kEadd || opcode == isa::Opcode::kEmul;
}

bool IsPpuOperation(isa::Opcode opcode) {
  return HasRtl(opcode) || opcode == isa::Opcode::kPmax || opcode == isa::Opcode::kPsum ||
         opcode == isa::Opcode::kLut;
}

}  // namespace

Result<std::vector<size_t>> NodesOfLayers(const isa::Program& program,
                                          const graph::IntGraph& ints) {
  std::map<std::string, size_t> by_name;
  for (size_t i = 0; i < ints.nodes.size(); ++i) by_name[ints.nodes[i].name] = i;
  std::vector<size_t> nodes;
  for (const isa::LayerInfo& layer : program.layers) {
    const auto at = by_name.find(layer.name);
    if (at == by_name.end()) {
      return Error{"", 0, 0, "layer " + layer.name, "the network has no such layer", ""};
    }
    const graph::IntValue& value = ints.value(ints.nodes[at->second].output);
    if (value.shape != layer.shape) {
      return Error{"",
                   0,
                   0,
                   "layer " + layer.name,
                   fmt::format("shape {} in the program, {} in the network", layer.shape.ToString(),
                               value.shape.ToString()),
                   ""};
    }
    nodes.push_back(at->second);
  }
  return nodes;
}

Result<std::vector<NotInRtl>> LayersNotInRtl(const isa::Program& program) {
  std::vector<NotInRtl> layers(program.layers.size());
  for (size_t i = 0; i < program.code.size(); ++i) {
    BW_ASSIGN_OR_RETURN(const isa::Instruction instruction, isa::Decode(program.code[i]));
    if (!IsPpuOperation(instruction.opcode) || HasRtl(instruction.opcode)) continue;
    NotInRtl& layer = layers.at(program.info[i].layer);
    const std::string name(isa::Mnemonic(instruction.opcode));
    auto& names = layer.operations;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    layer.elements = program.layers[program.info[i].layer].shape.Elements();
  }
  return layers;
}

Result<Comparison> Comparison::Make(const isa::Program& program, const graph::IntGraph& ints,
                                    bool rtl) {
  BW_RETURN_IF_ERROR(CheckProbes(program));
  Comparison comparison(program, ints);
  BW_ASSIGN_OR_RETURN(comparison.nodes_, NodesOfLayers(program, ints));
  comparison.host_ = HostLayers(program);
  comparison.not_in_rtl_.resize(program.layers.size());
  if (rtl) {
    BW_ASSIGN_OR_RETURN(comparison.not_in_rtl_, LayersNotInRtl(program));
  }
  comparison.tallies_.resize(program.layers.size());
  return comparison;
}

bool Comparison::Add(size_t sample, const GoldenTrace& golden, const ProbeCollector& probes,
                     const std::vector<IntTensor>& outputs) {
  const bool before = found_;
  ++samples_;
  for (size_t layer = 0; layer < nodes_.size(); ++layer) {
    if (host_[layer]) continue;
    AddLayer(sample, layer, golden.results[nodes_[layer]], probes.layer(layer));
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    AddOutput(sample, i, OutputOf(*ints_, golden, i), outputs[i]);
  }
  return found_ && !before;
}

void Comparison::AddLayer(size_t sample, size_t layer, const IntTensor& want,
                          const std::vector<int32_t>& got) {
  BW_CHECK(want.data.size() == got.size(), "layer {}: {} and {} elements", layer, want.data.size(),
           got.size());
  Tally& tally = tallies_[layer];
  if (not_in_rtl_[layer].operations.empty()) tally.compared += want.elements();
  for (size_t i = 0; i < got.size(); ++i) {
    if (want.data[i] == got[i]) continue;
    ++tally.mismatches;
    if (found_) continue;
    found_ = true;
    first_ = {sample, layer, static_cast<int64_t>(i), want.data[i], got[i], -1};
  }
}

// What leaves the machine must be what the last layer held; results of the host are made by the
// same function for all.
void Comparison::AddOutput(size_t sample, size_t output, const IntTensor& want,
                           const IntTensor& got) {
  size_t layer = 0;
  while (layer < nodes_.size() && ints_->nodes[nodes_[layer]].output != ints_->outputs[output]) {
    ++layer;
  }
  for (size_t i = 0; i < got.data.size(); ++i) {
    if (want.data[i] == got.data[i]) continue;
    ++output_mismatches_;
    if (found_ || layer == nodes_.size()) continue;
    found_ = true;
    first_ = {sample,       layer,       static_cast<int64_t>(i),
              want.data[i], got.data[i], static_cast<int>(output)};
  }
}

Json Comparison::Describe(const GoldenTrace& golden, const ProbeCollector& probes) const {
  const isa::LayerInfo& layer = program_->layers[first_.layer];
  Json json;
  json["layer"] = layer.name;
  json["layer_index"] = first_.layer;
  json["operator"] = layer.op;
  json["sample"] = first_.sample;
  json["element"] = first_.element;
  json["coordinates"] = Coordinates(layer.shape, first_.element);
  json["expected"] = first_.expected;
  json["got"] = first_.got;
  json["found_in"] = first_.output >= 0 ? "output in DRAM" : "layer";
  if (first_.output >= 0) json["output_index"] = first_.output;
  if (!host_[first_.layer]) {
    const uint32_t instruction = probes.InstructionOf(first_.layer, first_.element);
    json["tile"] = program_->info.at(instruction).tile;
    json["instruction"] = instruction;
    json["disassembly"] = isa::DisassembleInstruction(program_->code.at(instruction));
  }
  json["made_from"] = ExplainIn(*ints_, golden, nodes_[first_.layer], first_.element);
  json["explained"] = OneLine(json["made_from"]);
  return json;
}

Json Comparison::ToJson() const {
  Json json;
  int64_t compared = 0, mismatches = 0, uncounted = 0;
  Json layers = Json::array(), not_in_rtl = Json::array();
  for (size_t i = 0; i < tallies_.size(); ++i) {
    const NotInRtl& missing = not_in_rtl_[i];
    compared += tallies_[i].compared;
    mismatches += tallies_[i].mismatches;
    layers.push_back({{"name", program_->layers[i].name},
                      {"elements_compared", tallies_[i].compared},
                      {"mismatches", tallies_[i].mismatches}});
    if (missing.operations.empty()) continue;
    const int64_t elements = missing.elements * static_cast<int64_t>(samples_);
    uncounted += elements;
    not_in_rtl.push_back({{"layer", program_->layers[i].name},
                          {"operations", missing.operations},
                          {"elements", elements}});
  }
  json["elements_compared"] = compared;
  json["mismatches"] = mismatches;
  json["output_mismatches"] = output_mismatches_;
  json["not_in_rtl"] = std::move(not_in_rtl);
  json["not_in_rtl_elements"] = uncounted;
  json["layers"] = std::move(layers);
  return json;
}

}  // namespace bw::cosim
