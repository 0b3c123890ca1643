// The untimed machine: one instruction at a time, in program order.
#ifndef MODELS_ISS_ISS_H_
#define MODELS_ISS_ISS_H_

#include <memory>
#include <string>

#include "models/iss/state.h"
#include "models/machine/dram.h"
#include "models/machine/executor.h"

namespace bw::iss {

// What a check of accesses sees beside them. BeginInstruction comes before an instruction's
// accesses, EndInstruction after them; EndSegment when everything so far is ordered before
// everything that follows.
class InstructionObserver : public AccessObserver {
 public:
  virtual void BeginProgram(const isa::Program& program) = 0;
  virtual void BeginInstruction(uint32_t index, const isa::Instruction& instruction) = 0;
  virtual void EndInstruction(uint32_t index, const isa::Instruction& instruction) = 0;
  virtual void EndSegment() = 0;
  // Success, or what is wrong with the run so far.
  virtual Status Finish() = 0;
};

class Iss : public machine::Executor {
 public:
  explicit Iss(const hwconfig::HwConfig& config);

  std::string name() const override { return "iss"; }
  Status Load(const isa::Program& program) override;
  uint8_t* dram() override { return dram_.data(); }
  Status Run(machine::RetireObserver* observer) override;

  // Watches the runs that follow; may be null. The caller owns it.
  void Watch(InstructionObserver* watcher) { watcher_ = watcher; }
  // Events since Load: results that a clip of the PPU changed, sums that left acc_bits.
  uint64_t Saturations() const { return state_->saturations; }
  uint64_t AccumulatorWraps() const { return state_->acc_wraps; }

 private:
  Status Step(uint32_t index, const isa::Instruction& instruction);
  // Tokens: queue p's posts to q that are not consumed yet. A wait without one can never be served,
  // since posts precede waits in program order.
  Status TakeTokens(uint32_t index, const isa::Instruction& instruction);
  // What ldp loaded must be parameters that the arithmetic takes.
  Status CheckParameters(uint32_t index, const isa::TableDescriptor& table) const;
  void PostTokens(const isa::Instruction& instruction);
  Error InstructionError(uint32_t index, std::string message) const;

  const hwconfig::HwConfig config_;
  machine::Dram dram_;
  std::unique_ptr<State> state_;
  const isa::Program* program_ = nullptr;
  int64_t tokens_[isa::kQueues][isa::kQueues] = {};
  InstructionObserver* watcher_ = nullptr;
};

}  // namespace bw::iss

#endif  // MODELS_ISS_ISS_H_
