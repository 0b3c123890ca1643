#include "models/hwconfig/ppu_widths.h"

#include <algorithm>

namespace bw::hwconfig {

int ElementBits(const HwConfig& config) {
  if (config.act_bits <= 4) return 4;
  return config.act_bits <= 8 ? 8 : 16;
}

int OperandBits(const HwConfig& config) {
  return static_cast<int>(std::max<int64_t>(config.acc_bits, 32));
}

int WindowSumBits(const HwConfig& config) { return OperandBits(config) + 1; }

int LutShiftMax(const HwConfig& config) { return ElementBits(config); }

}  // namespace bw::hwconfig
