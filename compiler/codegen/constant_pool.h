// The constants of a program, as one block of DRAM.
#ifndef COMPILER_CODEGEN_CONSTANT_POOL_H_
#define COMPILER_CODEGEN_CONSTANT_POOL_H_

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "compiler/isa/descriptor.h"

namespace bw::codegen {

class ConstantPool {
 public:
  explicit ConstantPool(uint64_t first_byte) : first_byte_(first_byte) {}

  // DRAM address of these bytes; equal bytes are kept once. Starts on a multiple of 64.
  uint64_t Add(std::vector<uint8_t> bytes);
  uint64_t AddPacked(const std::vector<int64_t>& values, int bits);
  uint64_t AddParams(const std::vector<isa::PpuParam>& params);

  uint64_t first_byte() const { return first_byte_; }
  uint64_t end_byte() const { return first_byte_ + bytes_.size(); }
  std::vector<uint8_t> Take() { return std::move(bytes_); }

 private:
  uint64_t first_byte_;
  std::vector<uint8_t> bytes_;
  // hash -> (offset, size) of what is kept
  std::unordered_multimap<uint64_t, std::pair<uint64_t, uint64_t>> known_;
};

}  // namespace bw::codegen

#endif  // COMPILER_CODEGEN_CONSTANT_POOL_H_
