#include "sim/sysc/dram.h"

#include <cstring>

#include "sim/timing/timing.h"

namespace bw::sysc {

Dram::Dram(const sc_core::sc_module_name& name) : sc_module(name), socket("socket") {
  socket.register_b_transport(this, &Dram::Transport);
}

void Dram::Configure(const hwconfig::HwConfig& config, uint8_t* data,
                     const std::vector<isa::Word>& code) {
  static_assert(sizeof(isa::Word) == timing::kInstructionBytes, "instructions are 16 bytes");
  config_ = &config;
  data_ = data;
  code_.resize(code.size() * sizeof(isa::Word));
  if (!code.empty()) std::memcpy(code_.data(), code.data(), code_.size());
}

void Dram::Transport(tlm::tlm_generic_payload& burst, sc_core::sc_time& delay) {
  const uint64_t address = burst.get_address();
  const uint64_t size = burst.get_data_length();
  const bool code = address >= kCodeRegion;
  const uint64_t begin = code ? address - kCodeRegion : address;
  const uint64_t limit = code ? code_.size() : static_cast<uint64_t>(config_->dram_bytes);
  if (begin + size > limit || (code && burst.is_write())) {
    burst.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return;
  }
  uint8_t* place = (code ? code_.data() : data_) + begin;
  if (burst.is_write()) {
    std::memcpy(place, burst.get_data_ptr(), size);
  } else {
    std::memcpy(burst.get_data_ptr(), place, size);
  }
  delay += CyclePeriod() *
           static_cast<double>(timing::DramBeats(*config_, address, static_cast<int64_t>(size)));
  burst.set_response_status(tlm::TLM_OK_RESPONSE);
}

}  // namespace bw::sysc
