#include "sim/cosim/probe_collector.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/machine/placement.h"
#include "models/status/check.h"

namespace bw::cosim {
namespace {

// Calls visit(element of the layer) for every element of a probe's box.
template <typename Visit>
void ForEachElement(const isa::Probe& probe, const tensor::Shape& shape, const Visit& visit) {
  const std::vector<int64_t> strides = shape.Strides();
  const size_t rank = strides.size();
  std::vector<int64_t> index(rank, 0);
  int64_t element = 0, count = 1;
  for (size_t axis = 0; axis < rank; ++axis) {
    element += probe.first[axis] * strides[axis];
    count *= probe.extent[axis];
  }
  for (int64_t i = 0; i < count; ++i) {
    visit(static_cast<size_t>(element));
    for (size_t axis = rank; axis-- > 0;) {
      element += strides[axis];
      if (++index[axis] < probe.extent[axis]) break;
      element -= strides[axis] * probe.extent[axis];
      index[axis] = 0;
    }
  }
}

bool InBox(const isa::Probe& probe, const std::vector<int64_t>& strides, int64_t at) {
  for (size_t axis = 0; axis < strides.size(); ++axis) {
    const int64_t i = at / strides[axis];
    at %= strides[axis];
    if (i < probe.first[axis] || i >= probe.first[axis] + probe.extent[axis]) return false;
  }
  return true;
}

// "layer conv1: element 17 arrived 0 times" for the first element that did not arrive once.
void CheckOnce(const isa::LayerInfo& layer, const std::vector<uint8_t>& times, Errors* errors) {
  const auto wrong = std::find_if(times.begin(), times.end(), [](uint8_t n) { return n != 1; });
  if (wrong == times.end()) return;
  const auto bad = std::count_if(wrong, times.end(), [](uint8_t n) { return n != 1; });
  errors->push_back(Error{"", 0, 0, "layer " + layer.name,
                          fmt::format("{} of {} elements are not probed exactly once; element {} "
                                      "is probed {} times",
                                      bad, times.size(), wrong - times.begin(), int{*wrong}),
                          ""});
}

void Arrived(uint8_t& times) { times = static_cast<uint8_t>(std::min(times + 1, 255)); }

}  // namespace

std::vector<bool> HostLayers(const isa::Program& program) {
  std::vector<bool> host(program.layers.size(), false);
  for (const isa::Segment& segment : program.segments) {
    for (const isa::HostOp& op : segment.host_ops) host.at(op.layer) = true;
  }
  return host;
}

Status CheckProbes(const isa::Program& program) {
  const std::vector<bool> host = HostLayers(program);
  std::vector<std::vector<uint8_t>> times(program.layers.size());
  for (const isa::Probe& probe : program.probes) {
    const tensor::Shape& shape = program.layers.at(probe.layer).shape;
    auto& layer = times[probe.layer];
    layer.resize(static_cast<size_t>(shape.Elements()));
    ForEachElement(probe, shape, [&](size_t element) { Arrived(layer.at(element)); });
  }
  Errors errors;
  for (size_t i = 0; i < times.size(); ++i) {
    if (times[i].empty() && !host[i]) {
      errors.push_back(Error{"", 0, 0, "layer " + program.layers[i].name,
                             "no probe reads its output, so nothing could be compared", ""});
    }
    CheckOnce(program.layers[i], times[i], &errors);
  }
  if (!errors.empty()) return errors;
  return OkStatus();
}

ProbeCollector::ProbeCollector(const isa::Program& program)
    : program_(program), values_(program.layers.size()), times_(program.layers.size()) {
  for (const isa::Probe& probe : program.probes) {
    const auto elements = static_cast<size_t>(program.layers.at(probe.layer).shape.Elements());
    values_[probe.layer].resize(elements);
    times_[probe.layer].resize(elements);
  }
}

void ProbeCollector::Clear() {
  for (auto& layer : values_) std::fill(layer.begin(), layer.end(), 0);
  for (auto& layer : times_) std::fill(layer.begin(), layer.end(), uint8_t{0});
}

void ProbeCollector::OnRetire(uint32_t instruction, uint64_t, const machine::MemoryView& memory) {
  const auto before = [](const isa::Probe& probe, uint32_t i) { return probe.instruction < i; };
  auto probe =
      std::lower_bound(program_.probes.begin(), program_.probes.end(), instruction, before);
  for (; probe != program_.probes.end() && probe->instruction == instruction; ++probe) {
    Read(*probe, memory);
  }
}

void ProbeCollector::Read(const isa::Probe& probe, const machine::MemoryView& memory) {
  machine::ReadProbe(program_, probe, memory, values_[probe.layer].data());
  auto& times = times_[probe.layer];
  ForEachElement(probe, program_.layers[probe.layer].shape,
                 [&](size_t element) { Arrived(times[element]); });
}

Status ProbeCollector::CheckComplete() const {
  Errors errors;
  for (size_t i = 0; i < times_.size(); ++i) CheckOnce(program_.layers[i], times_[i], &errors);
  if (!errors.empty()) return errors;
  return OkStatus();
}

uint32_t ProbeCollector::InstructionOf(size_t layer, int64_t at) const {
  const std::vector<int64_t> strides = program_.layers.at(layer).shape.Strides();
  for (const isa::Probe& probe : program_.probes) {
    if (probe.layer == layer && InBox(probe, strides, at)) return probe.instruction;
  }
  BW_CHECK(false, "layer {} has no probe of element {}", program_.layers[layer].name, at);
  return 0;
}

}  // namespace bw::cosim
