// What a program means, written from the text of isa.def and NUMERICS.md alone: element by element
// and bit by bit, sharing no descriptor, no packing and no arithmetic with the executors.
#ifndef TESTS_CONTRACT_NAIVE_MACHINE_H_
#define TESTS_CONTRACT_NAIVE_MACHINE_H_

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compiler/isa/program.h"
#include "tests/support/rational_oracle.h"

namespace bw::contract {

// Places of the memories: bytes (DRAM, scratchpad) or entries.
using Places = std::set<std::pair<isa::Memory, uint64_t>>;
struct Touched {
  Places reads, writes;
};

class NaiveMachine {
 public:
  // `dram`: the whole memory as it is before the run, constants included.
  NaiveMachine(const isa::Program& program, std::vector<uint8_t> dram);

  void Run();
  // From now on notes what each instruction touches.
  void Record() { touched_.resize(program_.code.size()); }
  const std::vector<Touched>& touched() const { return touched_; }
  const std::vector<uint8_t>& dram() const { return dram_; }
  const std::vector<uint8_t>& spm() const { return spm_; }
  // Bytes of the scratchpad that the program has written; the others hold anything.
  const std::vector<bool>& spm_written() const { return spm_written_; }

 private:
  struct Operand {
    isa::Memory memory;
    int64_t base;  // bits or entries
    int bits;
    bool is_signed;
  };

  // Register `name` followed by `number`, of the queue of the current instruction.
  int64_t R(const std::string& name, int number = -1) const;
  std::array<int64_t, 6> Six(const std::string& name) const;  // name0..name5
  int64_t ReadSpm(int64_t bit, int bits, bool is_signed);
  void WriteSpm(int64_t bit, int bits, int64_t value);
  int64_t Word(int64_t byte) { return ReadSpm(byte * 8, 32, true); }
  int64_t ReadDram(int64_t bit, int bits, bool is_signed);
  void WriteDram(int64_t bit, int bits, int64_t value);
  int64_t ReadAcc(int64_t entry);
  void WriteAcc(int64_t entry, int64_t value);
  void NoteRead(isa::Memory memory, int64_t place);
  void NoteWrite(isa::Memory memory, int64_t place);
  int64_t Read(const Operand& operand, int64_t offset);

  void Step(const isa::Instruction& in);
  void Load(const isa::Instruction& in);
  void Store(const isa::Instruction& in);
  void LoadParameters(const isa::Instruction& in);
  void LoadTable(const isa::Instruction& in);
  void Multiply(const isa::Instruction& in);
  void PostProcess(const isa::Instruction& in);
  oracle::Wide ValueOf(const isa::Instruction& in, const std::array<int64_t, 4>& c);
  oracle::Wide Window(const isa::Instruction& in, const Operand& a, int64_t at,
                      const std::array<int64_t, 4>& c);
  oracle::Wide Aligned(const std::string& prefix, int64_t q, int mode) const;
  oracle::Wide Requantise(const isa::Instruction& in, oracle::Wide x, int64_t entry);
  int64_t Lookup(const isa::Instruction& in, int64_t x);
  void RunHost(const isa::HostOp& op);

  const isa::Program& program_;
  std::vector<uint8_t> dram_, spm_;
  std::vector<bool> spm_written_;
  std::vector<int64_t> acc_;
  std::vector<std::array<int64_t, 7>> param_;  // m, m2, zp, lo, hi, s, s2
  std::vector<int64_t> lut_;
  std::array<isa::Registers, isa::kQueues> registers_{};
  isa::Queue queue_{};
  uint32_t current_ = 0;
  std::vector<Touched> touched_;  // by instruction; empty unless recording
};

}  // namespace bw::contract

#endif  // TESTS_CONTRACT_NAIVE_MACHINE_H_
