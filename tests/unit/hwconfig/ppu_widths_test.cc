#include "models/hwconfig/ppu_widths.h"

#include <gtest/gtest.h>

namespace bw::hwconfig {
namespace {

TEST(PpuWidths, AnElementIsAsWideAsTheContainerOfAnActivation) {
  HwConfig config;
  const auto bits = [&](int64_t act_bits) {
    config.act_bits = act_bits;
    return ElementBits(config);
  };
  EXPECT_EQ(bits(2), 4);
  EXPECT_EQ(bits(4), 4);
  EXPECT_EQ(bits(5), 8);
  EXPECT_EQ(bits(8), 8);
  EXPECT_EQ(bits(9), 16);
  EXPECT_EQ(bits(16), 16);
}

TEST(PpuWidths, AnOperandHoldsAccumulatorsAndWords) {
  HwConfig config;
  config.acc_bits = 16;
  EXPECT_EQ(OperandBits(config), 32);
  config.acc_bits = 48;
  EXPECT_EQ(OperandBits(config), 48);
  EXPECT_EQ(WindowSumBits(config), 49);
}

TEST(PpuWidths, OneSegmentOfTheLargestStepHoldsEveryActivation) {
  HwConfig config;
  config.act_bits = 16;
  EXPECT_EQ(LutShiftMax(config), 16);
}

}  // namespace
}  // namespace bw::hwconfig
