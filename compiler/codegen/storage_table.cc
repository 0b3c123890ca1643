#include "compiler/codegen/storage_table.h"

#include <algorithm>

#include "models/status/check.h"

namespace bw::codegen {
namespace {

using graph::IntNode;
using graph::IntValueId;

constexpr uint64_t kDramAlign = 64;

size_t At(IntValueId id) { return static_cast<size_t>(id); }

}  // namespace

std::vector<IntValueId> ActivationInputs(const graph::IntGraph& graph, const IntNode& node) {
  const bool gemm = std::holds_alternative<graph::IntConv>(node.params) ||
                    std::holds_alternative<graph::IntMatMul>(node.params);
  if (!gemm) return node.inputs;
  if (HasSharedWeights(graph, node)) return {node.inputs[0]};
  return {node.inputs[0], node.inputs[1]};
}

bool HasSharedWeights(const graph::IntGraph& graph, const IntNode& node) {
  if (std::holds_alternative<graph::IntConv>(node.params)) return true;
  const graph::IntValue& b = graph.value(node.inputs[1]);
  return !b.constant.empty() && b.shape.rank() == 2;
}

StorageTable::StorageTable(const graph::IntGraph& graph, const ValueTable& values,
                           const hwconfig::HwConfig& config, bool keep_resident)
    : graph_(graph),
      values_(values),
      capacity_(static_cast<uint64_t>(config.spm_bytes)),
      align_(static_cast<uint64_t>(config.spm_bank_bytes)),
      storage_(graph.values.size()) {
  NoteLifetimes();
  for (const IntValueId id : graph.inputs) Root(id).in_dram = Root(id).forever = true;
  for (const IntValueId id : graph.outputs) Root(id).in_dram = Root(id).forever = true;
  for (size_t i = 0; i < storage_.size(); ++i) {
    Storage& s = storage_[i];
    if (!s.used) continue;
    s.constant = !graph.values[i].constant.empty();
    if (s.constant) s.in_dram = true;
    // What no node makes (inputs, constants) or only the host reads is not worth a place.
    s.resident = keep_resident && !s.constant && s.first >= 0 && s.last_spm > s.first;
    if (!s.resident) s.in_dram = true;
  }
  for (const IntValueId id : graph.inputs) Root(id).resident = false;
  for (const IntNode& node : graph.nodes) {
    if (!graph::IsHostNode(node)) continue;
    Root(node.inputs[0]).in_dram = true;
    Root(node.output).in_dram = Root(node.output).forever = true;
    Root(node.output).resident = false;
  }
}

void StorageTable::NoteLifetimes() {
  const auto touch = [this](IntValueId id, int64_t time) -> Storage& {
    Storage& s = Root(id);
    s.used = true;
    s.last = std::max(s.last, time);
    return s;
  };
  for (size_t n = 0; n < graph_.nodes.size(); ++n) {
    const IntNode& node = graph_.nodes[n];
    const auto time = static_cast<int64_t>(n);
    for (const IntValueId id : ActivationInputs(graph_, node)) {
      Storage& s = touch(id, time);
      if (values_.IsView(n)) continue;
      ++s.reads;
      if (!graph::IsHostNode(node)) s.last_spm = std::max(s.last_spm, time);
    }
    Storage& made = touch(node.output, time);
    if (made.first < 0 && !values_.IsView(n)) made.first = time;
  }
  for (const IntValueId id : graph_.inputs) touch(id, 0);
  for (const IntValueId id : graph_.outputs) touch(id, 0);
}

const StorageTable::Storage& StorageTable::Root(IntValueId id) const {
  return storage_[At(values_.of(id).root)];
}
StorageTable::Storage& StorageTable::Root(IntValueId id) {
  return storage_[At(values_.of(id).root)];
}

View StorageTable::Spm(IntValueId id) const {
  const Storage& s = Root(id);
  BW_CHECK(s.resident, "value {} is not resident", graph_.value(id).name);
  const ValueLayout& layout = values_.of(id);
  return {isa::Memory::kSpm, static_cast<int64_t>(s.spm_byte) * 8 + layout.spm_offset,
          layout.spm_strides, layout.container, graph_.value(id).is_signed};
}

View StorageTable::Dram(IntValueId id) const {
  const Storage& s = Root(id);
  BW_CHECK(s.in_dram, "value {} is not in DRAM", graph_.value(id).name);
  const ValueLayout& layout = values_.of(id);
  return {isa::Memory::kDram, static_cast<int64_t>(s.dram_byte) * 8 + layout.dram_offset,
          layout.dram_strides, graph_.value(id).bits, graph_.value(id).is_signed};
}

void StorageTable::RequireHeadroom(IntValueId id, int64_t bits) {
  const int64_t missing = std::max<int64_t>(0, bits - values_.of(id).spm_offset);
  Storage& s = Root(id);
  s.headroom = std::max(s.headroom, static_cast<uint64_t>(missing + 7) / 8);
}

std::vector<schedule::Buffer> StorageTable::ResidentBuffers(int64_t slack) const {
  std::vector<schedule::Buffer> buffers;
  for (const size_t i : placed_) {
    const Storage& s = storage_[i];
    buffers.push_back({s.first, s.last_spm + slack, values_.SpmBytes(static_cast<IntValueId>(i)),
                       s.headroom, align_});
  }
  return buffers;
}

void StorageTable::TakePlan(schedule::MemoryPlan plan) {
  plan_ = std::move(plan);
  for (size_t i = 0; i < placed_.size(); ++i) storage_[placed_[i]].spm_byte = plan_.offsets[i];
}

bool StorageTable::PlaceApart(int64_t slack) {
  std::vector<schedule::Buffer> buffers = ResidentBuffers(slack);
  schedule::MemoryPlan plan = schedule::PlanMemory(buffers, capacity_);
  if (!plan.complete) return false;
  buffers_ = std::move(buffers);
  TakePlan(std::move(plan));
  return true;
}

void StorageTable::PlaceScratchpad() {
  for (;;) {
    placed_.clear();
    for (size_t i = 0; i < storage_.size(); ++i) {
      if (storage_[i].used && storage_[i].resident) placed_.push_back(i);
    }
    buffers_ = ResidentBuffers(0);
    schedule::MemoryPlan plan = schedule::PlanMemory(buffers_, capacity_);
    if (plan.complete) {
      TakePlan(std::move(plan));
      return;
    }
    const auto lost = static_cast<size_t>(
        std::find(plan.offsets.begin(), plan.offsets.end(), schedule::kUnplaced) -
        plan.offsets.begin());
    std::vector<size_t> candidates = {placed_[lost]};
    if (buffers_[lost].bytes + buffers_[lost].headroom <= capacity_) {
      for (size_t i = 0; i < placed_.size(); ++i) {
        if (i != lost && buffers_[i].first <= buffers_[lost].last &&
            buffers_[lost].first <= buffers_[i].last) {
          candidates.push_back(placed_[i]);
        }
      }
    }
    Spill(candidates);
  }
}

// The candidate that frees most node-times for each time it must pass through DRAM; among equals
// the largest, then the first.
bool StorageTable::Spill(const std::vector<size_t>& candidates) {
  const auto size = [this](size_t i) { return values_.SpmBytes(static_cast<IntValueId>(i)); };
  const size_t* best = nullptr;
  for (const size_t& i : candidates) {
    if (best == nullptr) {
      best = &i;
      continue;
    }
    const Storage& a = storage_[i];
    const Storage& b = storage_[*best];
    const int64_t gain = (a.last_spm - a.first) * (1 + b.reads);
    const int64_t held = (b.last_spm - b.first) * (1 + a.reads);
    if (gain > held || (gain == held && size(i) > size(*best))) best = &i;
  }
  if (best == nullptr) return false;
  storage_[*best].resident = false;
  storage_[*best].in_dram = true;
  return true;
}

bool StorageTable::TouchedBy(size_t node, size_t root) const {
  const IntNode& n = graph_.nodes[node];
  if (At(values_.of(n.output).root) == root) return true;
  return std::any_of(n.inputs.begin(), n.inputs.end(),
                     [&](IntValueId id) { return At(values_.of(id).root) == root; });
}

bool StorageTable::SpillForRoom(size_t node) {
  std::vector<size_t> passing, touched;
  const auto time = static_cast<int64_t>(node);
  for (const size_t i : placed_) {
    if (!storage_[i].resident || storage_[i].first > time || storage_[i].last_spm < time) continue;
    (TouchedBy(node, i) ? touched : passing).push_back(i);
  }
  return Spill(passing) || Spill(touched);
}

std::vector<schedule::Gap> StorageTable::Gaps(size_t node) const {
  return schedule::FreeGaps(buffers_, plan_, static_cast<int64_t>(node), capacity_);
}

uint64_t StorageTable::PlaceDram() {
  std::vector<size_t> roots;
  std::vector<schedule::Buffer> buffers;
  const auto last_node = static_cast<int64_t>(graph_.nodes.size());
  for (size_t i = 0; i < storage_.size(); ++i) {
    const Storage& s = storage_[i];
    if (!s.used || !s.in_dram || s.constant) continue;
    roots.push_back(i);
    buffers.push_back({s.forever ? 0 : s.first, s.forever ? last_node : s.last,
                       values_.DramBytes(static_cast<IntValueId>(i)), 0, kDramAlign});
  }
  const schedule::MemoryPlan plan = schedule::PlanMemory(buffers, ~uint64_t{0} >> 1);
  for (size_t i = 0; i < roots.size(); ++i) storage_[roots[i]].dram_byte = plan.offsets[i];
  return (plan.peak + kDramAlign - 1) / kDramAlign * kDramAlign;
}

void StorageTable::PlaceConstant(IntValueId id, uint64_t dram_byte) {
  storage_[At(id)].dram_byte = dram_byte;
}

std::vector<IntValueId> StorageTable::ConstantActivations() const {
  std::vector<IntValueId> made;
  for (size_t i = 0; i < storage_.size(); ++i) {
    if (storage_[i].used && storage_[i].constant) made.push_back(static_cast<IntValueId>(i));
  }
  return made;
}

}  // namespace bw::codegen
