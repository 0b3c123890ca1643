// Widths of the post-processing unit that follow from the parameters. The RTL is built with them,
// and isa::MakePpu refuses operations that they do not hold.
#ifndef MODELS_HWCONFIG_PPU_WIDTHS_H_
#define MODELS_HWCONFIG_PPU_WIDTHS_H_

#include "models/hwconfig/hw_config.h"

namespace bw::hwconfig {

// Bits of the container of an activation: 4, 8 or 16. Zero points, and the operands of elementwise
// adds and multiplies, are signed numbers of one bit more, so that unsigned activations fit.
int ElementBits(const HwConfig& config);
// Operand A as a signed number: an accumulator, or what a container of 32 bits holds.
int OperandBits(const HwConfig& config);
// The sum of a window, zero points subtracted, as a signed number.
int WindowSumBits(const HwConfig& config);
// Largest step of a lookup table, log2: one segment then holds every activation.
int LutShiftMax(const HwConfig& config);

// Largest left shift of an add's operand: ppu.elt_base_shift, or the 20 of TFLite's adds. An
// aligned operand is a signed number of ElementBits + 2 + kAlignShiftMax bits.
inline constexpr int kAlignShiftMax = 20;
// Largest right shift of a sum between two stages.
inline constexpr int kStage1ShiftMax = 31;

}  // namespace bw::hwconfig

#endif  // MODELS_HWCONFIG_PPU_WIDTHS_H_
