// Between the engines and external memory: takes one burst a cycle, waits dram.latency for reads,
// and gives the data bus to one burst at a time. Fetch goes first, as all wait for it; load and
// store take turns. A read's bytes are those of the cycle in which its data starts on the bus; they
// arrive beat by beat. A write is in place with its last beat.
#ifndef SIM_SYSC_DRAM_CONTROLLER_H_
#define SIM_SYSC_DRAM_CONTROLLER_H_

#include <tlm_utils/simple_initiator_socket.h>

#include <array>
#include <cstdint>
#include <deque>
#include <systemc>
#include <tlm>

#include "sim/sysc/machine_context.h"
#include "sim/sysc/ring.h"

namespace bw::sysc {

inline constexpr size_t kMaxBurstBytes = 4096;  // of dma.burst_bytes
inline constexpr size_t kMaxBusBytes = 256;     // of dram.bytes_per_cycle

struct ReadBurst {
  uint64_t address = 0;
  uint32_t bytes = 0;
};
struct WriteBurst {
  uint64_t address = 0;
  uint32_t bytes = 0;
  int64_t last_of = kNoInstruction;
  std::array<uint8_t, kMaxBurstBytes> data;
};
struct BusBeat {
  uint32_t bytes = 0;
  std::array<uint8_t, kMaxBusBytes> data;
};

enum class Requester : uint8_t { kFetch, kLoad, kStore };

class DramController : public sc_core::sc_module, public Clocked {
 public:
  explicit DramController(const sc_core::sc_module_name& name);

  void Configure(MachineContext& context);

  // Requester: kFetch or kLoad. The answers of a requester come in the order of its requests.
  Ring<ReadBurst>& requests(Requester of) { return read_[Index(of)].request; }
  Ring<BusBeat>& answers(Requester of) { return read_[Index(of)].answer; }
  Ring<WriteBurst>& writes() { return writes_; }

  // Why the oldest burst of a requester has not moved in the last cycle: kDramLatency on its way,
  // kDramBandwidth when it was ready and the bus had another one, kBusy when it moved.
  Cause Waiting(Requester of) const { return waiting_[Index(of)].Get(context_->clock.now); }

  void Clock() override;

  tlm_utils::simple_initiator_socket<DramController> socket;

 private:
  struct Pending {
    ReadBurst burst;
    uint64_t ready = 0;  // first cycle in which its data may be on the bus
  };
  struct ReadChannel {
    Ring<ReadBurst> request;
    Ring<BusBeat> answer;
    std::deque<Pending> pending;
  };

  static size_t Index(Requester of) { return static_cast<size_t>(of); }
  void Accept();
  bool Ready(Requester of) const;
  void Grant();
  void StartRead(ReadChannel& channel);
  void MoveBeat();
  void MoveReadBeat();
  // Calls the memory; returns the cycles that the burst holds the bus.
  int64_t Transport(bool write, uint64_t address, uint8_t* data, uint32_t bytes);
  void NoteWaiting(bool moved);

  MachineContext* context_ = nullptr;
  std::array<ReadChannel, 2> read_;
  Ring<WriteBurst> writes_;
  std::array<RegisteredValue<Cause>, 3> waiting_;

  // The burst on the bus.
  bool active_ = false;
  Requester owner_ = Requester::kFetch;
  int64_t beats_left_ = 0;
  uint64_t address_ = 0;  // of the next byte
  uint32_t bytes_left_ = 0;
  size_t offset_ = 0;  // in data_
  std::array<uint8_t, kMaxBurstBytes> data_;
  bool store_first_ = false;  // whose turn it is
  size_t accept_first_ = 0;
};

}  // namespace bw::sysc

#endif  // SIM_SYSC_DRAM_CONTROLLER_H_
