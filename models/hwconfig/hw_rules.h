// Rules between hardware parameters. Each is one function: nothing when it holds, else what is
// wrong and what to set.
#ifndef MODELS_HWCONFIG_HW_RULES_H_
#define MODELS_HWCONFIG_HW_RULES_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/hwconfig/hw_config.h"
#include "models/hwconfig/strict_yaml.h"

namespace bw::hwconfig {

using RuleResult = std::optional<Violation>;

// acc_bits + ppu.mult_bits <= 63: rescale products and their rounding fit int64 (NUMERICS.md 3).
RuleResult RescaleProductFits(const HwConfig& config);
// (act_bits + 1) + (weight_bits + 1) <= acc_bits: one product of operands, zero points subtracted.
RuleResult MacProductFits(const HwConfig& config);
// act_bits + K + 1 + ppu.mult_bits <= 63 where adds come back in one stage (NUMERICS.md 5).
RuleResult ElementwiseProductFits(const HwConfig& config);
// ppu.stage1_bits > act_bits (NUMERICS.md 5: W > A).
RuleResult Stage1IsWider(const HwConfig& config);
// Aligning equal scales needs S = B - 1 - K, a left shift of K + 1 - B when B is small.
RuleResult AlignShiftFits(const HwConfig& config);
// ppu.rounding is among ppu.modes.
RuleResult RoundingIsBuilt(const HwConfig& config);
// `double` is defined for 31-bit multipliers only.
RuleResult DoubleHasWideMultiplier(const HwConfig& config);
// The profile `name` (of `key`: the config's own `profile`, or a recipe's) runs on this hardware:
// an integer profile, its mode built in, its multiplier width and shift range the hardware's.
RuleResult ProfileIsBuilt(const HwConfig& config, std::string_view name, const std::string& key);
// An exact table has one entry for each activation: 2^act_bits <= lut.segments.
RuleResult ExactLookupFits(const HwConfig& config);
// alpha.shift_min <= alpha.shift.
RuleResult AlphaRangeIsOrdered(const HwConfig& config);
// spm.bytes is a multiple of spm.banks * spm.bank_bytes.
RuleResult ScratchpadFillsBanks(const HwConfig& config);
// acc.entries and ppu.param_entries hold at least one entry for each array column.
RuleResult AccumulatorsHoldOneRow(const HwConfig& config);
RuleResult ParametersHoldOneRow(const HwConfig& config);
// dma.burst_bytes >= dram.bytes_per_cycle: a burst takes at least one cycle of the bus.
RuleResult BurstFillsBus(const HwConfig& config);

// All of the above.
std::vector<Violation> BrokenRules(const HwConfig& config);

}  // namespace bw::hwconfig

#endif  // MODELS_HWCONFIG_HW_RULES_H_
