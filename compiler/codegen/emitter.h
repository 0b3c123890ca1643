// Appends operations, in an order that is right when executed one after the other.
#ifndef COMPILER_CODEGEN_EMITTER_H_
#define COMPILER_CODEGEN_EMITTER_H_

#include <cstdint>
#include <vector>

#include "compiler/codegen/constant_pool.h"
#include "compiler/codegen/view.h"
#include "compiler/isa/descriptor.h"
#include "compiler/schedule/operation.h"
#include "models/hwconfig/hw_config.h"

namespace bw::codegen {

// Names an operation before the program order is known.
using OperationId = uint32_t;

// A probe whose instruction is still an operation.
struct PendingProbe {
  OperationId operation = 0;
  isa::Probe probe;
};

class Emitter {
 public:
  Emitter(const hwconfig::HwConfig& config, uint64_t first_constant_byte)
      : config_(config), constants_(first_constant_byte) {}

  // `probes`: whether what is written is a result to compare.
  void BeginLayer(uint32_t layer, bool probes);
  void BeginTile();

  // Copies `box` of one view to the same box of another; both have the same axes.
  OperationId Load(const View& dram, const View& spm, const Box& box);
  OperationId Store(const View& spm, const View& dram, const Box& box);
  // Every element of `box` becomes `value`.
  OperationId Fill(const View& spm, const Box& box, int64_t value);
  // `rows` x `row` values that lie without gaps in DRAM, to rows of `pitch_bits`.
  OperationId LoadRows(uint64_t dram_byte, int dram_bits, int64_t rows, int64_t row,
                       uint64_t spm_byte, isa::Container container, int64_t pitch_bits);
  // Loads parameters to entries of their own (a ring over the parameter memory) and returns the
  // first. They stay until as many entries have been loaded again as the memory holds.
  uint32_t LoadParams(const std::vector<isa::PpuParam>& params);
  // Loads a table unless one of the slots has it, and returns the slot.
  uint32_t LoadLookupTable(const std::vector<int32_t>& table);

  // `reads` are what it reads of the scratchpad; accumulators, parameters and tables are added.
  OperationId Mac(const isa::MacDescriptor& mac, std::vector<schedule::Access> reads);
  OperationId Ppu(const isa::PpuDescriptor& ppu, std::vector<schedule::Access> reads,
                  schedule::Access write);
  // Waits for whoever wrote this range.
  OperationId Fence(schedule::Access range);
  // The end of a segment.
  OperationId Halt();

  // Base of the accumulator half for the next tile; alternates.
  uint32_t NextAccumulators();

  void Probe(OperationId operation, const View& view, const Box& box);
  // Makes `operation` wait for all that wrote this range.
  void AlsoReads(OperationId operation, schedule::Access range);

  // The operations that have written the scratchpad or DRAM range last, one a queue at most.
  std::vector<OperationId> Writers(schedule::Access range) const;

  uint32_t layer() const { return layer_; }
  const hwconfig::HwConfig& config() const { return config_; }
  ConstantPool& constants() { return constants_; }
  std::vector<schedule::Operation> TakeOperations();  // of the segment so far
  std::vector<PendingProbe> TakeProbes() { return std::move(probes_); }

 private:
  OperationId Append(schedule::Operation operation);
  OperationId Transfer(const View& dram, const View& spm, const Box& box, bool store);
  uint64_t TableAddress(const std::vector<int32_t>& table);

  const hwconfig::HwConfig& config_;
  ConstantPool constants_;
  std::vector<schedule::Operation> operations_;
  std::vector<PendingProbe> probes_;
  OperationId first_id_ = 0;  // of operations_[0]
  uint32_t layer_ = 0, tile_ = 0;
  bool probing_ = true;
  uint32_t next_param_ = 0;
  uint32_t acc_half_ = 0;
  struct LoadedTable {
    uint64_t dram_byte = 0;
    size_t entries = 0;
  };
  std::vector<LoadedTable> tables_;
  uint32_t next_table_ = 0;
};

}  // namespace bw::codegen

#endif  // COMPILER_CODEGEN_EMITTER_H_
