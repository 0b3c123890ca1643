// External memory as a TLM-2 target: one b_transport a burst, which moves the bytes and adds the
// time that the burst holds the data bus. The instructions lie in a region of their own behind the
// data, which programs cannot address.
#ifndef SIM_SYSC_DRAM_H_
#define SIM_SYSC_DRAM_H_

#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <systemc>
#include <tlm>
#include <vector>

#include "compiler/isa/instruction.h"
#include "models/hwconfig/hw_config.h"

namespace bw::sysc {

// Beyond the largest dram.bytes.
inline constexpr uint64_t kCodeRegion = uint64_t{1} << 40;

// Simulated time of one clock cycle; the unit in which targets annotate delays.
inline sc_core::sc_time CyclePeriod() { return {1, sc_core::SC_NS}; }

class Dram : public sc_core::sc_module {
 public:
  explicit Dram(const sc_core::sc_module_name& name);

  // `data` is the executor's memory of config.dram_bytes; `code` the program's.
  void Configure(const hwconfig::HwConfig& config, uint8_t* data,
                 const std::vector<isa::Word>& code);

  tlm_utils::simple_target_socket<Dram> socket;

 private:
  void Transport(tlm::tlm_generic_payload& burst, sc_core::sc_time& delay);

  const hwconfig::HwConfig* config_ = nullptr;
  uint8_t* data_ = nullptr;
  std::vector<uint8_t> code_;
};

}  // namespace bw::sysc

#endif  // SIM_SYSC_DRAM_H_
