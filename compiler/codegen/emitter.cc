#include "compiler/codegen/emitter.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

#include "compiler/codegen/estimate.h"
#include "compiler/codegen/from_descriptor.h"
#include "models/status/check.h"

namespace bw::codegen {

using schedule::Access;
using schedule::Operation;

void Emitter::BeginLayer(uint32_t layer, bool probes) {
  layer_ = layer;
  probing_ = probes;
  tile_ = 0;
}

void Emitter::BeginTile() { ++tile_; }

OperationId Emitter::Append(Operation operation) {
  operation.layer = layer_;
  operation.tile = tile_;
  operation.id = first_id_ + static_cast<OperationId>(operations_.size());
  operations_.push_back(std::move(operation));
  return operations_.back().id;
}

std::vector<Operation> Emitter::TakeOperations() {
  first_id_ += static_cast<OperationId>(operations_.size());
  return std::exchange(operations_, {});
}

namespace {

// The loop nest of a copy, outermost first: by DRAM stride, so that the inner loops run along rows.
std::vector<NestAxis> CopyAxes(const View& dram, const View& spm, const Box& box, bool store) {
  std::vector<NestAxis> axes;
  for (size_t i = 0; i < box.extent.size(); ++i) {
    if (box.extent[i] > 1) {
      axes.push_back({box.extent[i], {dram.strides[i], spm.strides[i], 0}});
    }
  }
  std::stable_sort(axes.begin(), axes.end(), [](const NestAxis& a, const NestAxis& b) {
    return std::abs(a.stride[0]) > std::abs(b.stride[0]);
  });
  axes = MergeAxes(axes);
  // A store writes whole runs of its innermost counter.
  if (store && (axes.back().extent == 1 || axes.back().stride[0] != dram.bits)) {
    if (axes.back().extent == 1) axes.pop_back();
    axes.push_back({1, {dram.bits, spm.bits, 0}});
  }
  return axes;
}

isa::TransferDescriptor MakeTransfer(const View& dram, const View& spm,
                                     const std::vector<NestAxis>& axes) {
  isa::TransferDescriptor t;
  t.count.fill(1);
  t.hi.fill(1);
  size_t counter = 0;
  for (size_t i = axes.size(); i-- > 0 && counter < isa::kCounters; ++counter) {
    t.count[counter] = axes[i].extent;
    t.hi[counter] = axes[i].extent;
    t.dram_stride[counter] = axes[i].stride[0];
    t.local_stride[counter] = axes[i].stride[1];
  }
  t.dram_bits = dram.bits;
  t.container = {spm.bits, dram.is_signed};
  return t;
}

}  // namespace

OperationId Emitter::Transfer(const View& dram, const View& spm, const Box& box, bool store) {
  const std::vector<NestAxis> axes = CopyAxes(dram, spm, box, store);
  isa::TransferDescriptor t = MakeTransfer(dram, spm, axes);
  OperationId last = 0;
  ForEachOuter(axes, isa::kCounters, [&](const std::array<int64_t, kOperands>& offset) {
    t.dram_bit = static_cast<uint64_t>(dram.At(box.first) + offset[0]);
    t.local_bit = static_cast<uint64_t>(spm.At(box.first) + offset[1]);
    Operation operation = FromTransfer(t, store);
    EstimateTransfer(t, config_, operation);
    operation.reads = {Touch(store ? spm : dram, box)};
    operation.writes = {Touch(store ? dram : spm, box)};
    last = Append(std::move(operation));
  });
  return last;
}

OperationId Emitter::Load(const View& dram, const View& spm, const Box& box) {
  return Transfer(dram, spm, box, false);
}

OperationId Emitter::Store(const View& spm, const View& dram, const Box& box) {
  return Transfer(dram, spm, box, true);
}

OperationId Emitter::Fill(const View& spm, const Box& box, int64_t value) {
  View nowhere = spm;  // nothing is read
  nowhere.memory = isa::Memory::kDram;
  nowhere.bits = std::min(spm.bits, 16);
  const std::vector<NestAxis> axes = CopyAxes(nowhere, spm, box, false);
  isa::TransferDescriptor t = MakeTransfer(nowhere, spm, axes);
  t.hi.fill(0);
  t.fill = value;
  OperationId last = 0;
  ForEachOuter(axes, isa::kCounters, [&](const std::array<int64_t, kOperands>& offset) {
    t.dram_bit = 0;
    t.local_bit = static_cast<uint64_t>(spm.At(box.first) + offset[1]);
    Operation operation = FromTransfer(t, false);
    EstimateTransfer(t, config_, operation);
    operation.writes = {Touch(spm, box)};
    last = Append(std::move(operation));
  });
  return last;
}

OperationId Emitter::LoadRows(uint64_t dram_byte, int dram_bits, int64_t rows, int64_t row,
                              uint64_t spm_byte, isa::Container container, int64_t pitch_bits) {
  // What keeps its bits and has no gaps is moved as bytes, whatever it is: fewer registers change.
  const int64_t bits = rows * row * dram_bits;
  const bool bytes = dram_bits == container.bits && pitch_bits == row * dram_bits && bits % 8 == 0;
  if (bytes && dram_bits != 8) {
    return LoadRows(dram_byte, 8, 1, bits / 8, spm_byte, {8, true}, bits);
  }
  const View dram{isa::Memory::kDram,
                  static_cast<int64_t>(dram_byte) * 8,
                  {row * dram_bits, dram_bits},
                  dram_bits,
                  container.is_signed};
  const View spm{isa::Memory::kSpm,
                 static_cast<int64_t>(spm_byte) * 8,
                 {pitch_bits, container.bits},
                 container.bits,
                 container.is_signed};
  return Load(dram, spm, WholeBox({rows, row}));
}

uint32_t Emitter::LoadParams(const std::vector<isa::PpuParam>& params) {
  const auto count = static_cast<uint32_t>(params.size());
  const auto total = static_cast<uint32_t>(config_.ppu_param_entries);
  BW_CHECK(count <= total, "{} entries of {}", count, total);
  if (next_param_ + count > total) next_param_ = 0;
  const uint32_t entry = std::exchange(next_param_, next_param_ + count);
  const uint64_t at = constants_.AddParams(params);
  Operation operation = FromTable({at, entry, count}, isa::Opcode::kLdp);
  EstimateTable({at, entry, count}, isa::kPpuParamBytes, config_, operation);
  operation.reads = {{isa::Memory::kDram, at, at + uint64_t{count} * isa::kPpuParamBytes}};
  operation.writes = {{isa::Memory::kParam, entry, entry + uint64_t{count}}};
  Append(std::move(operation));
  return entry;
}

uint64_t Emitter::TableAddress(const std::vector<int32_t>& table) {
  return constants_.AddPacked({table.begin(), table.end()}, 32);
}

uint32_t Emitter::LoadLookupTable(const std::vector<int32_t>& table) {
  const uint64_t at = TableAddress(table);
  for (size_t slot = 0; slot < tables_.size(); ++slot) {
    if (tables_[slot].dram_byte == at && tables_[slot].entries == table.size()) {
      return static_cast<uint32_t>(slot);
    }
  }
  const uint32_t slot = next_table_;
  next_table_ = (next_table_ + 1) % static_cast<uint32_t>(config_.lut_tables);
  if (slot == tables_.size()) tables_.emplace_back();
  tables_[slot] = {at, table.size()};
  const auto entry = slot * static_cast<uint32_t>(config_.lut_segments + 1);
  const auto count = static_cast<uint32_t>(table.size());
  Operation operation = FromTable({at, entry, count}, isa::Opcode::kLdt);
  EstimateTable({at, entry, count}, 4, config_, operation);
  operation.reads = {{isa::Memory::kDram, at, at + uint64_t{count} * 4}};
  operation.writes = {{isa::Memory::kLut, entry, entry + uint64_t{count}}};
  Append(std::move(operation));
  return slot;
}

OperationId Emitter::Mac(const isa::MacDescriptor& mac, std::vector<Access> reads) {
  Operation operation = FromMac(mac);
  EstimateMac(mac, config_, operation);
  operation.reads = std::move(reads);
  const int64_t end = mac.acc + (mac.m0 - 1) * mac.cm0 + (mac.m1 - 1) * mac.cm1 + mac.n;
  const Access acc{isa::Memory::kAcc, mac.acc, static_cast<uint64_t>(end)};
  BW_CHECK(end <= config_.acc_entries, "accumulators up to {} of {}", end, config_.acc_entries);
  if (mac.init == isa::AccInit::kKeep) operation.reads.push_back(acc);
  operation.writes = {acc};
  return Append(std::move(operation));
}

OperationId Emitter::Ppu(const isa::PpuDescriptor& ppu, std::vector<Access> reads, Access write) {
  Operation operation = FromPpu(ppu);
  EstimatePpu(ppu, config_, operation);
  operation.reads = std::move(reads);
  operation.writes = {write};
  if (ppu.op == isa::Opcode::kLut) {
    const auto slot = static_cast<uint64_t>(config_.lut_segments + 1);
    operation.reads.push_back({isa::Memory::kLut, ppu.table * slot, (ppu.table + 1) * slot});
  } else if (ppu.op != isa::Opcode::kPmax) {
    const uint64_t count = ppu.param_stride == 0 ? 1 : static_cast<uint64_t>(ppu.count[0]);
    operation.reads.push_back({isa::Memory::kParam, ppu.param, ppu.param + count});
  }
  return Append(std::move(operation));
}

OperationId Emitter::Fence(Access range) {
  Operation operation;
  operation.instruction.opcode = isa::Opcode::kFence;
  operation.instruction.queue = isa::Queue::kPpu;
  operation.reads = {range};
  return Append(std::move(operation));
}

std::vector<OperationId> Emitter::Writers(Access range) const {
  std::array<std::optional<OperationId>, isa::kQueues> last;
  for (const Operation& operation : operations_) {
    for (const Access& write : operation.writes) {
      if (schedule::Overlap(write, range)) {
        last[static_cast<size_t>(operation.queue())] = operation.id;
      }
    }
  }
  std::vector<OperationId> writers;
  for (const auto& id : last) {
    if (id) writers.push_back(*id);
  }
  return writers;
}

OperationId Emitter::Halt() {
  Operation operation;
  operation.instruction.opcode = isa::Opcode::kHalt;
  operation.instruction.queue = isa::Queue::kLoad;
  return Append(std::move(operation));
}

uint32_t Emitter::NextAccumulators() {
  acc_half_ ^= 1;
  return acc_half_ * static_cast<uint32_t>(config_.acc_entries / 2);
}

void Emitter::Probe(OperationId operation, const View& view, const Box& box) {
  if (!probing_) return;
  isa::Probe probe;
  probe.layer = layer_;
  probe.memory = view.memory;
  probe.first = box.first;
  probe.extent = box.extent;
  probe.placement = PlacementOf(view, box.first);
  probes_.push_back({operation, std::move(probe)});
}

void Emitter::AlsoReads(OperationId operation, Access range) {
  operations_.at(operation - first_id_).reads.push_back(range);
}

}  // namespace bw::codegen
