#include "tests/support/program_builder.h"

#include <cstring>

namespace bw::testing {

using isa::Instruction;
using isa::LoadReg;
using isa::Opcode;
using isa::Queue;
using isa::StoreReg;

void ProgramBuilder::Append(const Instruction& in) {
  if (!open_) {
    program_.segments.push_back({static_cast<uint32_t>(program_.code.size()), 0, {}});
    open_ = true;
  }
  program_.code.push_back(isa::Encode(in));
  program_.info.push_back({0, 0});
  ++program_.segments.back().count;
}

void ProgramBuilder::SetRegister(Queue queue, int index, int64_t value) {
  BW_CHECK(value == static_cast<int32_t>(value), "register value {}", value);
  int32_t& known = registers_[static_cast<size_t>(queue)][static_cast<size_t>(index)];
  if (known == value) return;
  known = static_cast<int32_t>(value);
  Instruction cfg;
  cfg.opcode = Opcode::kCfg;
  cfg.queue = queue;
  cfg.cfg.first = static_cast<uint8_t>(index);
  cfg.cfg.count = 1;
  cfg.cfg.v[0] = known;
  Append(cfg);
}

void ProgramBuilder::Emit(Instruction in) {
  if (last_ >= 0) {
    isa::Word& word = program_.code[static_cast<size_t>(last_)];
    Instruction before = isa::Decode(word).value();
    if (before.queue != in.queue) {
      before.post = static_cast<uint8_t>(before.post | 1U << static_cast<unsigned>(in.queue));
      in.wait = static_cast<uint8_t>(in.wait | 1U << static_cast<unsigned>(before.queue));
      word = isa::Encode(before);
    }
  }
  last_ = static_cast<int64_t>(program_.code.size());
  Append(in);
}

void ProgramBuilder::Ld(uint64_t dram, uint32_t local, int dram_bit) {
  Instruction in;
  in.opcode = Opcode::kLd;
  in.queue = Queue::kLoad;
  in.ld = {dram, local, static_cast<uint8_t>(dram_bit)};
  Emit(in);
}

void ProgramBuilder::St(uint64_t dram, uint32_t local) {
  Instruction in;
  in.opcode = Opcode::kSt;
  in.queue = Queue::kStore;
  in.st = {dram, local};
  Emit(in);
}

void ProgramBuilder::Mac(Opcode opcode, uint32_t a, uint32_t b, uint32_t acc, isa::AccInit init,
                         uint32_t bias, bool pack) {
  Instruction in;
  in.opcode = opcode;
  in.queue = Queue::kMac;
  in.mac = {a, b, acc, bias, init, pack};
  Emit(in);
}

void ProgramBuilder::LoadBytes(uint64_t dram, uint32_t local, int64_t bytes) {
  SetAll(LoadReg::kcnt0, {bytes, 1, 1, 1, 1, 1});
  Set(LoadReg::kdstr0, 8).Set(LoadReg::kmstr0, 8);
  SetAll(LoadReg::klo0, {0, 0, 0, 0, 0, 0}).SetAll(LoadReg::khi0, {bytes, 1, 1, 1, 1, 1});
  Set(LoadReg::kdbits, 8).Set(LoadReg::kmbits, 8).Set(LoadReg::ksgn, 1);
  Ld(dram, local);
}

void ProgramBuilder::StoreBytes(uint64_t dram, uint32_t local, int64_t bytes) {
  SetAll(StoreReg::kcnt0, {bytes, 1, 1, 1, 1, 1});
  Set(StoreReg::kdstr0, 8).Set(StoreReg::kmstr0, 8);
  Set(StoreReg::kdbits, 8).Set(StoreReg::kmbits, 8).Set(StoreReg::ksgn, 1);
  St(dram, local);
}

uint64_t ProgramBuilder::AddConstants(const std::vector<uint8_t>& bytes) {
  const uint64_t at = next_constant_;
  program_.constants.push_back({at, bytes});
  next_constant_ += (bytes.size() + 63) / 64 * 64;
  return at;
}

void ProgramBuilder::LoadParams(const std::vector<isa::PpuParam>& params, uint32_t entry) {
  std::vector<uint8_t> bytes(params.size() * isa::kPpuParamBytes);
  for (size_t i = 0; i < params.size(); ++i) {
    isa::WritePpuParam(params[i], bytes.data() + i * isa::kPpuParamBytes);
  }
  Instruction in;
  in.opcode = Opcode::kLdp;
  in.queue = Queue::kLoad;
  in.ldp = {AddConstants(bytes), entry, static_cast<uint32_t>(params.size())};
  Emit(in);
}

void ProgramBuilder::LoadTable(const std::vector<int32_t>& values, uint32_t entry) {
  std::vector<uint8_t> bytes(values.size() * 4);
  std::memcpy(bytes.data(), values.data(), bytes.size());
  Instruction in;
  in.opcode = Opcode::kLdt;
  in.queue = Queue::kLoad;
  in.ldp = {AddConstants(bytes), entry, static_cast<uint32_t>(values.size())};
  Emit(in);
}

void ProgramBuilder::EndSegment() {
  Instruction halt;
  halt.opcode = Opcode::kHalt;
  Append(halt);
  last_ = -1;
  open_ = false;
}

isa::Program ProgramBuilder::Finish() {
  if (open_) EndSegment();
  program_.dram_bytes_used = next_constant_;
  return std::move(program_);
}

}  // namespace bw::testing
