// The reverse of isa::Make*: instruction and registers that mean a given descriptor.
#ifndef COMPILER_CODEGEN_FROM_DESCRIPTOR_H_
#define COMPILER_CODEGEN_FROM_DESCRIPTOR_H_

#include "compiler/isa/descriptor.h"
#include "compiler/schedule/operation.h"

namespace bw::codegen {

// Fill `instruction` and `registers`; accesses are the caller's. Registers without effect (the
// stride of a counter that counts to 1, the second operand of an operation with one) are left out.
schedule::Operation FromTransfer(const isa::TransferDescriptor& transfer, bool store);
schedule::Operation FromTable(const isa::TableDescriptor& table, isa::Opcode opcode);
schedule::Operation FromMac(const isa::MacDescriptor& mac);
schedule::Operation FromPpu(const isa::PpuDescriptor& ppu);

}  // namespace bw::codegen

#endif  // COMPILER_CODEGEN_FROM_DESCRIPTOR_H_
