// The MAC array: rows x cols multipliers between the scratchpad and the accumulators.
//
//   port B --> weights of the next block (shadow registers)
//                         | swap
//   port A --> a vector of k a cycle --> block in use --> array latency --> accumulators
//
// Weights stationary: a block of weights stays while all pixels stream; the next block loads
// meanwhile. Output stationary: the sums of `rows` pixels stay while the k of a block stream, whose
// operands have been gathered at the edges; after the last k they drain, one pixel a cycle.
// Depthwise: one tap of `cols` channels a cycle, over one row of multipliers.
// Operations follow one another without a gap, and their sums reach the accumulators in order.
#ifndef SIM_SYSC_MAC_ENGINE_H_
#define SIM_SYSC_MAC_ENGINE_H_

#include <array>
#include <cstdint>
#include <deque>
#include <systemc>
#include <vector>

#include "sim/sysc/acc_sram.h"
#include "sim/sysc/engine_front.h"
#include "sim/sysc/mac_blocks.h"
#include "sim/sysc/scratchpad.h"

namespace bw::sysc {

class MacEngine : public sc_core::sc_module, public Clocked {
 public:
  MacEngine(const sc_core::sc_module_name& name, Scratchpad& spm, AccSram& acc);

  void Configure(MachineContext& context);
  EngineFront& front() { return front_; }
  void Clock() override;

 private:
  // A pixel of an operation: m1, m0 and what follows from them.
  struct Pixel {
    int64_t m0 = 0, m1 = 0;
    void Next(const isa::MacDescriptor& d) {
      if (++m0 == d.m0) m0 = 0, ++m1;
    }
    static Pixel At(int64_t index, const isa::MacDescriptor& d) {
      return {index % d.m0, index / d.m0};
    }
  };
  // Of weights: one set of shadow registers.
  static constexpr uint64_t kBlocksAhead = 1;
  using Lanes = std::array<int32_t, timing::kMaxVector>;

  MacBlock& Block(uint64_t number) { return blocks_[number % blocks_.size()]; }
  void MakeBlock();
  void Accept();

  // Operand B.
  void LoadWeights();
  void TakeWeights();
  void IssueWeights();
  void IssueVector(const MacBlock& block, int64_t byte);
  void KeepWeights(MacBlock& block, int index, const SpmAccess& access);

  // Operand A.
  void IssueActivations();
  void AddActivations(const MacBlock& block, const Pixel& pixel, SpmAccess& access) const;
  void TakeActivations(const MacBlock& block, Lanes& lanes);

  bool Enter();
  bool EnterStreaming(MacBlock& block);
  void GatherActivations();
  bool EnterOutputStationary(MacBlock& block);
  void EnterStep(MacBlock& block);
  bool Drain(MacBlock& block);
  PartialSums& NextRow(const MacBlock& block, const Pixel& pixel, int64_t latency);
  void Leave();
  Cause WhyIdle();

  SpmPort& a_port_;
  SpmPort& b_port_;
  AccSram& acc_;
  EngineFront front_{isa::Queue::kMac};
  MachineContext* context_ = nullptr;

  std::deque<MacOperation> operations_;  // oldest first
  size_t operations_made_ = 0;           // of those, into blocks
  MacBlockSource source_;
  // Blocks in order, by number: made >= loading >= entering, made >= issuing >= entering.
  std::vector<MacBlock> blocks_;
  uint64_t made_ = 0, loading_ = 0, issuing_ = 0, entering_ = 0;
  Pixel issue_pixel_, enter_pixel_;
  int64_t entered_ = 0;  // vectors (ws), or k and then drained pixels (os), of the block in use
  bool draining_ = false;
  std::vector<int32_t> zero_points_;  // of the n of the block that loads
  std::vector<int32_t> bias_;         // of the n of the block in use
  std::vector<int64_t> outputs_;      // os: pixel p, channel n at p * pitch + n
  bool stalled_ = false;              // by a random stall, in this cycle
};

}  // namespace bw::sysc

#endif  // SIM_SYSC_MAC_ENGINE_H_
