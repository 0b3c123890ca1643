// Scratchpad to DRAM.
//
//   front -> read vectors from the scratchpad -> pack -> burst -> write bursts ==> DRAM
//
// One vector a cycle. Runs of c0 that follow one another in DRAM share bursts of up to
// dma.burst_bytes; dma.outstanding bursts may wait for the bus.
#ifndef SIM_SYSC_STORE_ENGINE_H_
#define SIM_SYSC_STORE_ENGINE_H_

#include <array>
#include <cstdint>
#include <deque>
#include <systemc>

#include "compiler/isa/descriptor.h"
#include "sim/sysc/dram_controller.h"
#include "sim/sysc/engine_front.h"
#include "sim/sysc/scratchpad.h"
#include "sim/sysc/transfer_walker.h"

namespace bw::sysc {

class StoreEngine : public sc_core::sc_module, public Clocked {
 public:
  StoreEngine(const sc_core::sc_module_name& name, DramController& dram, Scratchpad& spm);

  void Configure(MachineContext& context);
  EngineFront& front() { return front_; }
  void Clock() override;

 private:
  struct Operation {
    uint32_t instruction = 0;
    isa::TransferDescriptor transfer;
    TransferWalker read, packed;
    int beat_elements = 1;
  };

  void Read();
  bool Pack();
  void PackBeat(Operation& operation, const SpmAccess& access);
  // Whether the next vector goes on where the open burst ends, and fits.
  bool Continues(const Operation& operation, int elements) const;
  bool Flush(int64_t last_of);
  void Accept();
  Cause WhyIdle() const;

  DramController& dram_;
  SpmPort& port_;
  EngineFront front_{isa::Queue::kStore};
  MachineContext* context_ = nullptr;

  std::deque<Operation> operations_;  // oldest first; the front one is packed
  size_t reading_ = 0;                // index in operations_ of the one that reads
  // The burst being packed; `end_bit_` is where it ends in DRAM, 0 bytes when there is none.
  uint64_t first_byte_ = 0, end_bit_ = 0;
  bool open_ = false;
  bool finish_ = false;  // the open burst is the last of the front operation
  std::array<uint8_t, kMaxBurstBytes> data_;
  bool stalled_ = false;  // by a random stall, in this cycle
};

}  // namespace bw::sysc

#endif  // SIM_SYSC_STORE_ENGINE_H_
