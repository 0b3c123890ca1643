// The parameters of rtl/bw_ppu.sv for a hardware config: widths are derived here and nowhere else.
#ifndef SIM_RTL_DUT_RTL_PARAMETERS_H_
#define SIM_RTL_DUT_RTL_PARAMETERS_H_

#include <string>
#include <utility>
#include <vector>

#include "models/hwconfig/hw_config.h"

namespace bw::rtl_dut {

struct RtlParameters {
  int lanes = 16;
  int act_bits = 8;
  int a_bits = 32;  // operand A: the accumulator, but at least 32 bits, as 32-bit values pass too
  int mult_bits = 16;
  int left_shift_max = 15;
  int align_shift_max = 20;  // left shift of an add's operand: K, or TFLite's 20
  int mode_mask = 31;        // bit m: rounding mode m is built in
  int lut_entries = 514;     // of all lookup tables
  int lut_shift_max = 8;     // log2 of the largest step between entries, 0..30
  int lut_interpolate = 1;   // 0: no interpolating multiplier
  int table_words = 4;       // table entries that one clock can write

  // {"Lanes", 16}, ...: name in the module's parameter list and value.
  std::vector<std::pair<std::string, int>> AsList() const;
};

RtlParameters ParametersFor(const hwconfig::HwConfig& config);

}  // namespace bw::rtl_dut

#endif  // SIM_RTL_DUT_RTL_PARAMETERS_H_
