#include <fmt/format.h>

#include <array>

#include "compiler/isa/descriptor.h"
#include "compiler/isa/verify_program.h"

namespace bw::isa {
namespace {

// Tokens posted and not yet consumed, by pair of queues; posts come first in program order.
class TokenCounts {
 public:
  void Step(uint32_t index, const Instruction& in, ProblemList& problems) {
    const auto own = static_cast<size_t>(in.queue);
    for (size_t q = 0; q < kQueues; ++q) {
      if ((in.wait >> q & 1) == 0) continue;
      if (open_[q][own] == 0) {
        problems.AddAt(index, fmt::format("waits for a token of queue {}, but nothing before it "
                                          "posts one that is left: a deadlock",
                                          QueueName(static_cast<Queue>(q))));
        continue;
      }
      --open_[q][own];
    }
    for (size_t q = 0; q < kQueues; ++q) {
      if ((in.post >> q & 1) == 0) continue;
      ++open_[own][q];
      last_post_[own][q] = index;
    }
  }
  // At the end of a segment none may be left.
  void EndSegment(ProblemList& problems) {
    for (size_t from = 0; from < kQueues; ++from) {
      for (size_t to = 0; to < kQueues; ++to) {
        if (open_[from][to] == 0) continue;
        problems.AddAt(last_post_[from][to],
                       fmt::format("{} token(s) posted to queue {} are never waited for in this "
                                   "segment",
                                   open_[from][to], QueueName(static_cast<Queue>(to))));
        open_[from][to] = 0;
      }
    }
  }

 private:
  std::array<std::array<uint32_t, kQueues>, kQueues> open_{}, last_post_{};
};

template <typename Descriptor>
void AddErrors(uint32_t index, const Result<Descriptor>& made, ProblemList& problems) {
  if (made.ok()) return;
  for (const Error& error : made.errors()) problems.AddAt(index, error.ToString());
}

// Parameters that lie in the constants are known now; the machine checks the others as they load.
void CheckParams(const Program& program, uint32_t index, const TableDescriptor& table,
                 ProblemList& problems) {
  for (const Constants& block : program.constants) {
    if (table.dram_byte < block.dram_byte) continue;
    const uint64_t offset = table.dram_byte - block.dram_byte;
    const uint64_t bytes = uint64_t{table.count} * kPpuParamBytes;
    if (offset > block.bytes.size() || bytes > block.bytes.size() - offset) continue;
    for (uint32_t i = 0; i < table.count; ++i) {
      const PpuParam p = ReadPpuParam(block.bytes.data() + offset + uint64_t{i} * kPpuParamBytes);
      if (IsValid(p)) continue;
      problems.AddAt(index, fmt::format("loads parameter entry {} with m {}, s {}, m2 {}, s2 {}, "
                                        "lo {}, hi {}; m is below 2^31, s in -32..63, lo <= hi",
                                        table.entry + i, p.m, p.s, p.m2, p.s2, p.lo, p.hi));
      return;
    }
  }
}

void CheckOperation(const Program& program, uint32_t index, const Instruction& in,
                    const Registers& registers, ProblemList& problems) {
  switch (in.opcode) {
    case Opcode::kLd:
    case Opcode::kSt:
      return AddErrors(index, MakeTransfer(in, registers, program.config), problems);
    case Opcode::kLdt:
      return AddErrors(index, MakeTable(in, program.config), problems);
    case Opcode::kLdp: {
      const Result<TableDescriptor> table = MakeTable(in, program.config);
      AddErrors(index, table, problems);
      if (table.ok()) CheckParams(program, index, *table, problems);
      return;
    }
    case Opcode::kMm:
    case Opcode::kDw:
      return AddErrors(index, MakeMac(in, registers, program.config), problems);
    case Opcode::kRq:
    case Opcode::kEadd:
    case Opcode::kEmul:
    case Opcode::kPmax:
    case Opcode::kPsum:
    case Opcode::kLut:
      return AddErrors(index, MakePpu(in, registers, program.config), problems);
    case Opcode::kHalt:
    case Opcode::kFence:
    case Opcode::kCfg:
      return;
  }
}

// Segments follow one another without gaps to the end of the code.
bool CheckSegments(const Program& program, ProblemList& problems) {
  uint64_t next = 0;
  for (size_t s = 0; s < program.segments.size(); ++s) {
    const Segment& segment = program.segments[s];
    if (segment.first != next || segment.count == 0 || segment.count > program.code.size() - next) {
      problems.Add(fmt::format("segment {}", s),
                   fmt::format("{} instructions from {}; the code has {}, and {} comes next",
                               segment.count, segment.first, program.code.size(), next));
      return false;
    }
    next += segment.count;
  }
  if (next == program.code.size()) return true;
  problems.Add("segments",
               fmt::format("they hold {} of {} instructions", next, program.code.size()));
  return false;
}

}  // namespace

void VerifyCode(const Program& program, ProblemList& problems) {
  if (!CheckSegments(program, problems)) return;
  std::array<Registers, kQueues> registers{};
  TokenCounts tokens;
  for (const Segment& segment : program.segments) {
    for (uint32_t i = segment.first; i < segment.first + segment.count && !problems.full(); ++i) {
      const Result<Instruction> decoded = Decode(program.code[i]);
      AddErrors(i, decoded, problems);
      if (!decoded.ok()) continue;
      const bool last = i + 1 == segment.first + segment.count;
      if ((decoded->opcode == Opcode::kHalt) != last) {
        problems.AddAt(
            i, last ? "ends its segment, but is no halt" : "halts in the middle of its segment");
      }
      if (decoded->opcode == Opcode::kHalt && (decoded->wait | decoded->post) != 0) {
        problems.AddAt(i, "has tokens, but halt comes after everything in all queues anyway");
      }
      tokens.Step(i, *decoded, problems);
      Registers& own = registers[static_cast<size_t>(decoded->queue)];
      if (decoded->opcode == Opcode::kCfg) ApplyCfg(*decoded, own);
      CheckOperation(program, i, *decoded, own, problems);
    }
    tokens.EndSegment(problems);
  }
}

}  // namespace bw::isa
