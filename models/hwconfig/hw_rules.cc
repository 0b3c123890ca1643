#include "models/hwconfig/hw_rules.h"

#include <fmt/format.h>

#include "models/arith/profile.h"

namespace bw::hwconfig {
namespace {

constexpr int64_t kProductBits = 63;  // int64, with one bit for the rounding addend

std::string ModeNames(const HwConfig& config) {
  std::string names;
  for (const arith::Rounding mode : config.ppu_modes) {
    if (!names.empty()) names += ", ";
    names += ToString(mode);
  }
  return names;
}

// What the hardware lacks for a profile, and what would mend it, each as one phrase.
struct Lacks {
  std::vector<std::string> needs;
  std::vector<std::string> mend;
};

Lacks FindLacks(const HwConfig& config, const arith::Profile& profile) {
  Lacks lacks;
  if (profile.mult_bits != config.ppu_mult_bits) {
    lacks.needs.push_back(
        fmt::format("ppu.mult_bits {} (is {})", profile.mult_bits, config.ppu_mult_bits));
    lacks.mend.push_back(fmt::format("ppu.mult_bits={}", profile.mult_bits));
  }
  if (!config.HasMode(profile.rounding)) {
    lacks.needs.push_back(fmt::format("rounding mode {} among ppu.modes (are {})",
                                      ToString(profile.rounding), ModeNames(config)));
    lacks.mend.push_back(
        fmt::format("ppu.modes=[{}, {}]", ModeNames(config), ToString(profile.rounding)));
  }
  if (profile.shift_max > config.ppu_shift_max) {
    lacks.needs.push_back(
        fmt::format("ppu.shift_max {} (is {})", profile.shift_max, config.ppu_shift_max));
    lacks.mend.push_back(fmt::format("ppu.shift_max={}", profile.shift_max));
  }
  return lacks;
}

// Profiles that run on the hardware as it is.
std::string BuiltProfiles(const HwConfig& config) {
  std::vector<std::string> built;
  for (const std::string& name : ProfileChoices()) {
    const arith::Profile profile = ResolveProfile(config, name);
    if (!profile.float_scale && FindLacks(config, profile).needs.empty()) built.push_back(name);
  }
  return built.empty() ? "" : fmt::format("profile to one of: {}", fmt::join(built, ", "));
}

}  // namespace

RuleResult RescaleProductFits(const HwConfig& config) {
  const int64_t bits = config.acc_bits + config.ppu_mult_bits;
  if (bits <= kProductBits) return std::nullopt;
  return Violation{
      {"ppu.mult_bits", "acc_bits"},
      fmt::format("acc_bits + ppu.mult_bits is {} + {} = {}; allowed up to {}", config.acc_bits,
                  config.ppu_mult_bits, bits, kProductBits),
      fmt::format("set ppu.mult_bits to {} or less, or acc_bits to {} or less",
                  kProductBits - config.acc_bits, kProductBits - config.ppu_mult_bits)};
}

RuleResult MacProductFits(const HwConfig& config) {
  const int64_t bits = config.act_bits + 1 + config.weight_bits + 1;
  if (bits <= config.acc_bits) return std::nullopt;
  return Violation{
      {"acc_bits", "act_bits", "weight_bits"},
      fmt::format("one product of {} + 1 activation bits and {} + 1 weight bits has {} bits; "
                  "allowed up to acc_bits, {}",
                  config.act_bits, config.weight_bits, bits, config.acc_bits),
      fmt::format("set acc_bits to {} or more", bits)};
}

RuleResult ElementwiseProductFits(const HwConfig& config) {
  const int64_t zero_point = config.ppu_zero_point ? 1 : 0;  // subtracting one takes a bit
  const int64_t sum = config.act_bits + zero_point + config.ppu_elt_base_shift + 1;
  if (config.ppu_elt_two_stage || sum + config.ppu_mult_bits <= kProductBits) return std::nullopt;
  return Violation{
      {"ppu.elt_two_stage", "act_bits", "ppu.zero_point", "ppu.elt_base_shift", "ppu.mult_bits"},
      fmt::format("in one stage a sum of {} bits meets a multiplier of {}: {} bits; "
                  "allowed up to {}",
                  sum, config.ppu_mult_bits, sum + config.ppu_mult_bits, kProductBits),
      "set ppu.elt_two_stage to true, or a smaller ppu.mult_bits"};
}

RuleResult Stage1IsWider(const HwConfig& config) {
  if (config.ppu_stage1_bits > config.act_bits) return std::nullopt;
  return Violation{{"ppu.stage1_bits", "act_bits"},
                   fmt::format("value {} must be greater than act_bits, {}", config.ppu_stage1_bits,
                               config.act_bits),
                   fmt::format("set ppu.stage1_bits to {} or more", config.act_bits + 1)};
}

RuleResult AlignShiftFits(const HwConfig& config) {
  const int64_t left = config.ppu_elt_base_shift + 1 - config.ppu_mult_bits;
  if (left <= config.ppu_left_shift_max) return std::nullopt;
  return Violation{{"ppu.left_shift_max", "ppu.elt_base_shift", "ppu.mult_bits"},
                   fmt::format("aligning for an elementwise add takes a left shift of "
                               "ppu.elt_base_shift + 1 - ppu.mult_bits = {}; allowed up to {}",
                               left, config.ppu_left_shift_max),
                   left <= 15 ? fmt::format("set ppu.left_shift_max to {} or more", left)
                              : "set a smaller ppu.elt_base_shift"};
}

RuleResult RoundingIsBuilt(const HwConfig& config) {
  if (config.HasMode(config.ppu_rounding)) return std::nullopt;
  return Violation{{"ppu.rounding", "ppu.modes"},
                   fmt::format("value {} is not built in; allowed ppu.modes, {}",
                               ToString(config.ppu_rounding), ModeNames(config)),
                   fmt::format("add {} to ppu.modes", ToString(config.ppu_rounding))};
}

RuleResult DoubleHasWideMultiplier(const HwConfig& config) {
  if (!config.HasMode(arith::Rounding::kDouble) || config.ppu_mult_bits == 31) return std::nullopt;
  return Violation{
      {"ppu.modes", "ppu.mult_bits"},
      fmt::format("mode double is defined for ppu.mult_bits 31 only (is {})", config.ppu_mult_bits),
      "set ppu.mult_bits to 31, or leave double out of ppu.modes"};
}

RuleResult ProfileIsBuilt(const HwConfig& config, std::string_view name, const std::string& key) {
  const arith::Profile profile = ResolveProfile(config, name);
  Violation violation{{key, "ppu.mult_bits", "ppu.modes", "ppu.shift_max"}, "", ""};
  std::string instead = BuiltProfiles(config);
  if (profile.float_scale) {
    violation.message =
        fmt::format("profile {} scales in floating point: it is no hardware profile", name);
    violation.hint = instead.empty() ? "" : "set " + instead;
    return violation;
  }
  if (name == "native") return std::nullopt;  // made of the hardware; its mode: RoundingIsBuilt
  const Lacks lacks = FindLacks(config, profile);
  if (lacks.needs.empty()) return std::nullopt;
  violation.message = fmt::format("profile {} needs {}", name, fmt::join(lacks.needs, " and "));
  violation.hint = fmt::format("set {}", fmt::join(lacks.mend, " and "));
  if (!instead.empty()) violation.hint += ", or set " + instead;
  return violation;
}

RuleResult ExactLookupFits(const HwConfig& config) {
  const int64_t entries = int64_t{1} << config.act_bits;
  if (config.lut_mode != LutMode::kExact || entries <= config.lut_segments) return std::nullopt;
  const bool possible = entries <= 4096;
  return Violation{
      {"lut.mode", "lut.segments", "act_bits"},
      fmt::format("an exact table for {}-bit activations has {} entries; allowed up "
                  "to lut.segments, {}",
                  config.act_bits, entries, config.lut_segments),
      possible ? fmt::format("set lut.segments to {}", entries) : "set lut.mode to interpolate"};
}

RuleResult AlphaRangeIsOrdered(const HwConfig& config) {
  if (config.alpha_shift_min <= config.alpha_shift) return std::nullopt;
  return Violation{{"alpha.shift_min", "alpha.shift"},
                   fmt::format("value {} is greater than alpha.shift, {}", config.alpha_shift_min,
                               config.alpha_shift),
                   fmt::format("set alpha.shift_min to {} or less", config.alpha_shift)};
}

RuleResult ScratchpadFillsBanks(const HwConfig& config) {
  const int64_t row = config.spm_banks * config.spm_bank_bytes;
  const int64_t rest = config.spm_bytes % row;
  if (rest == 0) return std::nullopt;
  return Violation{{"spm.bytes", "spm.banks", "spm.bank_bytes"},
                   fmt::format("value {} is not a multiple of spm.banks * spm.bank_bytes = {}",
                               config.spm_bytes, row),
                   fmt::format("set spm.bytes to {}", config.spm_bytes - rest + row)};
}

RuleResult AccumulatorsHoldOneRow(const HwConfig& config) {
  if (config.acc_entries >= config.array_cols) return std::nullopt;
  return Violation{
      {"acc.entries", "array.cols"},
      fmt::format("value {} is less than array.cols, {}", config.acc_entries, config.array_cols),
      fmt::format("set acc.entries to {} or more", config.array_cols)};
}

RuleResult ParametersHoldOneRow(const HwConfig& config) {
  if (config.ppu_param_entries >= config.array_cols) return std::nullopt;
  return Violation{{"ppu.param_entries", "array.cols"},
                   fmt::format("value {} is less than array.cols, {}", config.ppu_param_entries,
                               config.array_cols),
                   fmt::format("set ppu.param_entries to {} or more", config.array_cols)};
}

RuleResult BurstFillsBus(const HwConfig& config) {
  if (config.dma_burst_bytes >= config.dram_bytes_per_cycle) return std::nullopt;
  return Violation{{"dma.burst_bytes", "dram.bytes_per_cycle"},
                   fmt::format("value {} is less than dram.bytes_per_cycle, {}",
                               config.dma_burst_bytes, config.dram_bytes_per_cycle),
                   "set a larger dma.burst_bytes"};
}

std::vector<Violation> BrokenRules(const HwConfig& config) {
  std::vector<Violation> broken;
  for (const auto rule :
       {RescaleProductFits, MacProductFits, ElementwiseProductFits, Stage1IsWider, AlignShiftFits,
        RoundingIsBuilt, DoubleHasWideMultiplier, ExactLookupFits, AlphaRangeIsOrdered,
        ScratchpadFillsBanks, AccumulatorsHoldOneRow, ParametersHoldOneRow, BurstFillsBus}) {
    if (const RuleResult result = rule(config)) broken.push_back(*result);
  }
  if (const RuleResult result = ProfileIsBuilt(config, config.profile, "profile")) {
    broken.push_back(*result);
  }
  return broken;
}

}  // namespace bw::hwconfig
