// Rough cycles of operations, for choosing their order. sim/timing has the real ones.
#ifndef COMPILER_CODEGEN_ESTIMATE_H_
#define COMPILER_CODEGEN_ESTIMATE_H_

#include "compiler/isa/descriptor.h"
#include "compiler/schedule/operation.h"
#include "models/hwconfig/hw_config.h"

namespace bw::codegen {

// Set `cycles` and `latency`.
void EstimateTransfer(const isa::TransferDescriptor& transfer, const hwconfig::HwConfig& config,
                      schedule::Operation& operation);
void EstimateTable(const isa::TableDescriptor& table, int entry_bytes,
                   const hwconfig::HwConfig& config, schedule::Operation& operation);
void EstimateMac(const isa::MacDescriptor& mac, const hwconfig::HwConfig& config,
                 schedule::Operation& operation);
void EstimatePpu(const isa::PpuDescriptor& ppu, const hwconfig::HwConfig& config,
                 schedule::Operation& operation);

}  // namespace bw::codegen

#endif  // COMPILER_CODEGEN_ESTIMATE_H_
