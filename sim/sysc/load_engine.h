// DRAM to scratchpad, parameters and tables.
//
//   front -> address generator -> read bursts ==> DRAM ==> burst buffers -> unpack -> scratchpad
//
// The generator gathers elements that lie in the same or the next bus beat into one burst and makes
// at most one burst a cycle, with dma.outstanding of them under way. The unpacker writes one vector
// a cycle, in the order of the nest, with `fill` where the nest is outside its windows. Operations
// follow one another without a gap.
#ifndef SIM_SYSC_LOAD_ENGINE_H_
#define SIM_SYSC_LOAD_ENGINE_H_

#include <array>
#include <cstdint>
#include <deque>
#include <systemc>
#include <vector>

#include "compiler/isa/descriptor.h"
#include "sim/sysc/dram_controller.h"
#include "sim/sysc/engine_front.h"
#include "sim/sysc/scratchpad.h"
#include "sim/sysc/tables.h"
#include "sim/sysc/transfer_walker.h"

namespace bw::sysc {

class LoadEngine : public sc_core::sc_module, public Clocked {
 public:
  LoadEngine(const sc_core::sc_module_name& name, DramController& dram, Scratchpad& spm,
             Ring<TableBeat>& tables);

  void Configure(MachineContext& context);
  EngineFront& front() { return front_; }
  void Clock() override;

 private:
  struct Operation {
    uint32_t instruction = 0;
    isa::Memory memory = isa::Memory::kSpm;  // where it goes: kSpm, kParam or kLut
    isa::TransferDescriptor transfer;        // tables: one run of entries
    uint32_t next_entry = 0;                 // tables
    TransferWalker requested, unpacked;
  };
  // A burst under way or in the buffer. The place of its bytes is burst number % outstanding.
  struct Burst {
    uint64_t first_byte = 0;
    uint32_t bytes = 0, received = 0;
    int64_t elements = 0;  // not unpacked yet
    std::array<uint8_t, kMaxBurstBytes + 8> data;
  };

  void Receive();
  void Request();
  ReadBurst Gather(Operation& operation, int64_t& elements) const;
  bool Unpack();
  bool UnpackToSpm(Operation& operation);
  int FillBeat(Operation& operation, SpmAccess& access, int most);
  int CopyStretch(Operation& operation, SpmAccess& access, int lane, int64_t most);
  bool UnpackToTable(Operation& operation);
  int64_t Available(const Operation& operation, int64_t most) const;
  void Consume(int64_t elements);
  void AfterBeat(Operation& operation, int64_t& last_of);
  void Accept();
  bool MakeOperation(const QueuedInstruction& next, Operation& made);
  void InjectFault(SpmAccess& access);
  Cause WhyIdle() const;

  DramController& dram_;
  SpmPort& port_;
  Ring<TableBeat>& tables_;
  EngineFront front_{isa::Queue::kLoad};
  MachineContext* context_ = nullptr;

  std::deque<Operation> operations_;  // oldest first; the front one is unpacked
  size_t requesting_ = 0;             // index in operations_ of the one that asks for bursts
  std::vector<Burst> bursts_;
  uint64_t burst_made_ = 0, burst_filled_ = 0, burst_used_ = 0;  // counts
  uint64_t write_beats_ = 0;
  bool stalled_ = false;  // by a random stall, in this cycle
};

}  // namespace bw::sysc

#endif  // SIM_SYSC_LOAD_ENGINE_H_
