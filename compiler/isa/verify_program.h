// The checks of VerifyProgram, with the instruction that each problem belongs to.
#ifndef COMPILER_ISA_VERIFY_PROGRAM_H_
#define COMPILER_ISA_VERIFY_PROGRAM_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/isa/program.h"

namespace bw::isa {

struct Problem {
  std::optional<uint32_t> instruction;
  std::string place, message;
};

// At most this many are collected; what is broken throughout need not be listed throughout.
inline constexpr size_t kMaxProblems = 50;

std::vector<Problem> FindProblems(const Program& program);

// "instruction 12 (mm, layer 'conv1', tile 3)".
std::string DescribeInstruction(const Program& program, uint32_t instruction);

class ProblemList {
 public:
  explicit ProblemList(const Program& program) : program_(program) {}
  void Add(std::string place, std::string message);
  void AddAt(uint32_t instruction, std::string message);
  bool full() const { return problems_.size() >= kMaxProblems; }
  std::vector<Problem> Take() { return std::move(problems_); }

 private:
  const Program& program_;
  std::vector<Problem> problems_;
};

// The parts: code (verify_code.cc) and what surrounds it (verify_program.cc).
void VerifyCode(const Program& program, ProblemList& problems);

}  // namespace bw::isa

#endif  // COMPILER_ISA_VERIFY_PROGRAM_H_
