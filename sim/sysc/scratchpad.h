// The banked scratchpad. Words of spm.bank_bytes are interleaved over the banks by their low
// address bits; each bank serves one word a cycle. An access claims the banks of its words: those
// that are free serve it in this cycle, the others in later ones, and it is done when all have.
// Ports are asked in turn, starting with another one each cycle. A read returns the bytes of the
// cycle in which its bank served; a write is in place in that cycle.
#ifndef SIM_SYSC_SCRATCHPAD_H_
#define SIM_SYSC_SCRATCHPAD_H_

#include <array>
#include <systemc>
#include <vector>

#include "sim/sysc/machine_context.h"
#include "sim/sysc/spm_port.h"

namespace bw::sysc {

class Scratchpad : public sc_core::sc_module, public Clocked {
 public:
  explicit Scratchpad(const sc_core::sc_module_name& name) : sc_module(name) {}

  // Empties the memory and the ports.
  void Configure(MachineContext& context);
  SpmPort& port(SpmPortId id) { return ports_[static_cast<size_t>(id)]; }
  const uint8_t* bytes() const { return bytes_.data(); }
  uint8_t* bytes() { return bytes_.data(); }

  void Clock() override;

 private:
  void FindWords(SpmAccess& access) const;
  void Serve(size_t port, uint64_t& busy_banks);
  // Moves the bytes of [first, last) that the access holds.
  void Move(SpmAccess& access, uint32_t first, uint32_t last);
  void Copy(SpmAccess& access, const SpmAccess::Run& run, uint32_t first, uint32_t last);

  MachineContext* context_ = nullptr;
  int word_shift_ = 0;
  uint32_t bank_mask_ = 0;
  std::vector<uint8_t> bytes_;  // eight spare bytes behind the last one
  std::array<SpmPort, kSpmPorts> ports_;
};

}  // namespace bw::sysc

#endif  // SIM_SYSC_SCRATCHPAD_H_
