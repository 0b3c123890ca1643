#include "models/machine/dram.h"

#include <sys/mman.h>

#include <algorithm>

#include "models/status/check.h"

namespace bw::machine {
namespace {

uint8_t* Map(void* at, uint64_t size, int more_flags) {
  // Eight spare bytes, so that a reader of whole words may look past the last element.
  void* mapped = mmap(at, size + 8, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | more_flags, -1, 0);
  BW_CHECK(mapped != MAP_FAILED, "cannot reserve {} bytes of address space", size);
  return static_cast<uint8_t*>(mapped);
}

}  // namespace

Dram::Dram(uint64_t size) : data_(Map(nullptr, size, 0)), size_(size) {}

Dram::~Dram() { munmap(data_, size_ + 8); }

void Dram::Clear() { Map(data_, size_, MAP_FIXED); }

void Dram::WriteConstants(const isa::Program& program) {
  for (const isa::Constants& block : program.constants) {
    BW_CHECK(block.dram_byte + block.bytes.size() <= size_, "constants end at {}, memory at {}",
             block.dram_byte + block.bytes.size(), size_);
    std::copy(block.bytes.begin(), block.bytes.end(), data_ + block.dram_byte);
  }
}

}  // namespace bw::machine
