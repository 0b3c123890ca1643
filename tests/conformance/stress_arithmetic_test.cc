// The same networks in other arithmetic: profiles, rounding modes, widths of the multiplier, ways
// to add, weights with one scale a tensor.
#include <functional>

#include "tests/conformance/stress_network.h"

namespace bw::conformance {
namespace {

struct Variant {
  std::string name;
  std::vector<std::pair<std::string, std::string>> hardware;  // hw_config.def keys and values
  std::string profile = "native";
  bool per_channel = true;
};

const std::vector<Variant>& Variants() {
  static const std::vector<Variant> variants = {
      {"mantissa16", {}, "mantissa16"},
      {"tosa32", {{"ppu.mult_bits", "31"}}, "tosa32"},
      {"tosa16", {{"ppu.mult_bits", "15"}}, "tosa16"},
      {"tflite_double",
       {{"ppu.mult_bits", "31"}, {"ppu.modes", "[half_up, double]"}},
       "tflite_double"},
      {"nvdla", {{"ppu.mult_bits", "15"}}, "nvdla"},
      {"floor", {{"ppu.rounding", "floor"}}},
      {"truncate", {{"ppu.rounding", "truncate"}}},
      {"half_away", {{"ppu.rounding", "half_away"}}},
      {"half_even", {{"ppu.rounding", "half_even"}}},
      {"narrow multiplier", {{"ppu.mult_bits", "8"}}},
      {"wide base", {{"ppu.elt_base_shift", "17"}, {"ppu.mult_bits", "18"}}},
      {"one stage", {{"ppu.elt_two_stage", "false"}}},
      {"narrow stage", {{"ppu.stage1_bits", "12"}}},
      {"few segments", {{"lut.segments", "64"}}},
      {"nearest entries", {{"lut.segments", "128"}, {"lut.mode", "nearest"}}},
      {"per tensor", {}, "mantissa16", false},
      {"narrow activations", {{"act_bits", "4"}}},
      {"narrow weights", {{"weight_bits", "3"}}},
      {"wide activations", {{"act_bits", "14"}, {"weight_bits", "6"}}},
      {"wide accumulators", {{"acc_bits", "44"}, {"act_bits", "15"}, {"weight_bits", "16"}}},
  };
  return variants;
}

lower::Settings SettingsFor(const hwconfig::HwConfig& config, const arith::Profile& profile,
                            bool per_channel) {
  lower::Settings s;
  s.profile = &profile;
  s.rounding = profile.rounding;
  s.mult_bits = profile.mult_bits;
  s.limits = {static_cast<int>(config.ppu_shift_max), static_cast<int>(config.ppu_left_shift_max)};
  s.act_bits = static_cast<int>(config.act_bits);
  s.weight_bits = static_cast<int>(config.weight_bits);
  s.acc_bits = static_cast<int>(config.acc_bits);
  s.per_channel_weights = per_channel;
  s.elt_base_shift = static_cast<int>(config.ppu_elt_base_shift);
  s.elt_two_stage = config.ppu_elt_two_stage;
  s.stage1_bits = static_cast<int>(config.ppu_stage1_bits);
  s.lut_segments = static_cast<int>(config.lut_segments);
  s.lut_interpolate = config.lut_mode == hwconfig::LutMode::kInterpolate;
  return s;
}

class StressArithmetic : public ::testing::TestWithParam<Variant> {
 protected:
  void Expect(const StressNetwork& network) {
    const Variant& variant = GetParam();
    std::vector<hwconfig::Override> overrides = {{"profile", variant.profile, ""}};
    for (const auto& [key, value] : variant.hardware) overrides.push_back({key, value, ""});
    Arithmetic arithmetic;
    for (const char* name : {"tiny", "edge"}) {
      const std::string path = std::string(BW_SOURCE_DIR "/configs/npu/") + name + ".yaml";
      auto config = hwconfig::LoadHwConfig(path, overrides);
      ASSERT_TRUE(config.ok()) << ToString(config.errors());
      arithmetic.machines.push_back(*std::move(config));
    }
    const arith::Profile profile =
        hwconfig::ResolveProfile(arithmetic.machines[0], variant.profile);
    arithmetic.settings = SettingsFor(arithmetic.machines[0], profile, variant.per_channel);
    ExpectIntPath(network, arithmetic, Allow::kWorstCase);
  }
};

TEST_P(StressArithmetic, ResidualBlock) {
  StressNetwork net(120);
  const ValueId x = net.Input({2, 5, 7, 6});
  const ValueId a = net.Clip(net.Conv(x, {12}), 0, 6);
  const ValueId b = net.Add(Op::kPRelu, {net.Depthwise(a), net.Constant({12, 1, 1}, 0, 0.5F)});
  const ValueId sum = net.Relu(net.Add(Op::kAdd, {a, b}));
  net.Output(net.Add(Op::kLeakyRelu, {net.Add(Op::kSub, {b, sum})}, {{"alpha", 0.125}}));
  net.Output(net.Concat({net.Pointwise(sum, 3), x, b}, 1));
  Expect(net);
}

TEST_P(StressArithmetic, GatesPoolsAndLookups) {
  StressNetwork net(121);
  const ValueId x = net.Conv(net.Input({1, 3, 8, 8}), {6});
  const ValueId gate =
      net.Add(Op::kSigmoid, {net.Pointwise(net.Add(Op::kGlobalAveragePool, {x}), 6)});
  const ValueId gated = net.Add(Op::kMul, {x, gate});
  const ValueId pooled = net.Add(Op::kAveragePool, {gated},
                                 {{"kernel_shape", Ints{3, 3}},
                                  {"strides", Ints{2, 2}},
                                  {"pads", Ints{1, 1, 1, 1}},
                                  {"ceil_mode", int64_t{0}},
                                  {"count_include_pad", int64_t{0}}});
  net.Output(pooled);
  net.Output(net.Softmax(net.Gemm(net.Reshape(pooled, {1, 96}), 10), 1));
  Expect(net);
}

TEST_P(StressArithmetic, ProductsOfActivations) {
  StressNetwork net(122);
  const ValueId x = net.Input({2, 3, 6, 5}), y = net.Input({2, 3, 5, 7}, -1, 1);
  const ValueId product = net.Add(Op::kMatMul, {x, y});
  net.Output(net.Add(Op::kDiv, {product, net.Constant({6, 1}, -2, 2)}));
  net.Output(net.Add(Op::kPRelu, {product, net.Constant({3, 1, 1}, -0.5F, 0.5F)}));
  net.Output(net.Add(Op::kReduceMean, {product}, {{"axes", Ints{1, 3}}, {"keepdims", int64_t{0}}}));
  Expect(net);
}

INSTANTIATE_TEST_SUITE_P(Of, StressArithmetic, ::testing::ValuesIn(Variants()),
                         [](const auto& info) {
                           std::string name = info.param.name;
                           for (char& c : name) c = c == ' ' ? '_' : c;
                           return name;
                         });

}  // namespace
}  // namespace bw::conformance
