// External memory: as large as the config says, but only what is touched takes real memory.
#ifndef MODELS_MACHINE_DRAM_H_
#define MODELS_MACHINE_DRAM_H_

#include <cstddef>
#include <cstdint>

#include "compiler/isa/program.h"

namespace bw::machine {

// Zero-filled bytes 0 .. size-1.
class Dram {
 public:
  explicit Dram(uint64_t size);
  ~Dram();
  Dram(const Dram&) = delete;
  Dram& operator=(const Dram&) = delete;

  uint8_t* data() { return data_; }
  const uint8_t* data() const { return data_; }
  uint64_t size() const { return size_; }
  // Back to zero, giving the memory back to the system.
  void Clear();
  // The program's constants, at their addresses; the program has passed VerifyProgram.
  void WriteConstants(const isa::Program& program);

 private:
  uint8_t* data_ = nullptr;
  uint64_t size_ = 0;
};

}  // namespace bw::machine

#endif  // MODELS_MACHINE_DRAM_H_
