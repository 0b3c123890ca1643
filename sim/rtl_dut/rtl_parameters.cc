#include "sim/rtl_dut/rtl_parameters.h"

#include "models/hwconfig/ppu_widths.h"
#include "sim/timing/timing.h"

namespace bw::rtl_dut {

std::vector<std::pair<std::string, int>> RtlParameters::AsList() const {
  return {{"Lanes", lanes},
          {"ActBits", act_bits},
          {"ABits", a_bits},
          {"MultBits", mult_bits},
          {"LeftShiftMax", left_shift_max},
          {"AlignShiftMax", align_shift_max},
          {"ModeMask", mode_mask},
          {"LutEntries", lut_entries},
          {"LutShiftMax", lut_shift_max},
          {"LutInterpolate", lut_interpolate},
          {"TableWords", table_words}};
}

RtlParameters ParametersFor(const hwconfig::HwConfig& config) {
  RtlParameters p;
  p.lanes = static_cast<int>(config.ppu_lanes);
  p.act_bits = hwconfig::ElementBits(config);
  p.a_bits = hwconfig::OperandBits(config);
  p.mult_bits = static_cast<int>(config.ppu_mult_bits);
  p.left_shift_max = static_cast<int>(config.ppu_left_shift_max);
  p.align_shift_max = hwconfig::kAlignShiftMax;
  p.mode_mask = 0;
  for (arith::Rounding mode : config.ppu_modes) p.mode_mask |= 1 << static_cast<int>(mode);
  p.lut_entries = static_cast<int>(config.lut_tables * (config.lut_segments + 1));
  p.lut_shift_max = hwconfig::LutShiftMax(config);
  p.lut_interpolate = config.lut_mode == hwconfig::LutMode::kInterpolate ? 1 : 0;
  p.table_words = static_cast<int>(timing::TableBeatEntries(config, 4));
  return p;
}

}  // namespace bw::rtl_dut
