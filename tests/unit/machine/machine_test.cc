#include <gtest/gtest.h>
#include <sys/resource.h>

#include <random>

#include "models/machine/dram.h"
#include "models/machine/placement.h"
#include "models/tensor/bitpack.h"
#include "tests/support/random.h"

namespace bw::machine {
namespace {

TEST(Dram, StartsAsZerosAndClearsToZeros) {
  Dram dram(1 << 20);
  EXPECT_EQ(dram.data()[0], 0);
  dram.data()[0] = dram.data()[(1 << 20) - 1] = 7;
  dram.Clear();
  EXPECT_EQ(dram.data()[0], 0);
  EXPECT_EQ(dram.data()[(1 << 20) - 1], 0);
}

TEST(Dram, TakesMemoryOnlyWhereItIsTouched) {
  Dram dram(uint64_t{4} << 30);
  dram.data()[uint64_t{3} << 30] = 1;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  EXPECT_LT(usage.ru_maxrss, 1 << 20) << "KiB";
}

TEST(Dram, HoldsTheConstantsOfAProgram) {
  isa::Program program;
  program.constants = {{16, {1, 2, 3}}, {4093, {4, 5, 6}}};
  Dram dram(4096);
  dram.WriteConstants(program);
  EXPECT_EQ(dram.data()[15], 0);
  EXPECT_EQ(dram.data()[18], 3);
  EXPECT_EQ(dram.data()[4095], 6);
}

TEST(DramDeathTest, ConstantsOutsideStop) {
  isa::Program program;
  program.constants = {{4094, {4, 5, 6}}};
  Dram dram(4096);
  EXPECT_DEATH(dram.WriteConstants(program), "constants end at 4097");
}

// A 2 x 3 tensor of 4-bit values, columns outermost: element (i, j) at nibble 2 j + i.
TEST(Placement, FollowsStridesToTheBit) {
  const tensor::Shape shape{2, 3};
  isa::Placement placement;
  placement.base_bit = 16;
  placement.strides = {4, 8};
  placement.bits = 4;
  const int32_t values[] = {1, -2, 3, -4, 5, -6};
  uint8_t memory[8] = {};
  WriteTensor(values, shape, placement, memory);
  EXPECT_EQ(memory[1], 0);
  EXPECT_EQ(memory[2], 0xc1);  // 1, -4
  EXPECT_EQ(memory[3], 0x5e);  // -2, 5
  EXPECT_EQ(memory[4], 0xa3);  // 3, -6
  EXPECT_EQ(memory[5], 0);
  int32_t back[6] = {};
  ReadTensor(memory, shape, placement, back);
  EXPECT_TRUE(std::equal(values, values + 6, back));
}

TEST(Placement, RoundTripsEveryWidthAndRank) {
  testing::Random random(3);
  for (const int bits : {2, 3, 4, 5, 7, 8, 11, 12, 16, 32}) {
    for (int rank = 0; rank <= 6; ++rank) {
      tensor::Shape shape;
      isa::Placement placement;
      placement.bits = bits;
      placement.is_signed = random.Flip();
      placement.base_bit = static_cast<uint64_t>(random.In(0, 30));
      int64_t stride = bits;
      for (int i = 0; i < rank; ++i) {
        shape.dims.push_back(random.In(1, 3));
        placement.strides.push_back(stride);
        stride *= shape.dims.back();
      }
      std::vector<int32_t> values(static_cast<size_t>(shape.Elements())), back(values.size());
      for (int32_t& v : values) {
        v = static_cast<int32_t>(tensor::ExtendBits(static_cast<uint64_t>(random.In(0, UINT32_MAX)),
                                                    bits, placement.is_signed));
      }
      std::vector<uint8_t> memory(4096);
      WriteTensor(values.data(), shape, placement, memory.data());
      ReadTensor(memory.data(), shape, placement, back.data());
      EXPECT_EQ(values, back) << bits << " bits, rank " << rank;
    }
  }
}

TEST(Placement, NothingIsReadOfAnEmptyTensor) {
  int32_t untouched = 5;
  ReadTensor(nullptr, tensor::Shape{2, 0}, {0, {8, 8}, 8, true}, &untouched);
  EXPECT_EQ(untouched, 5);
}

TEST(Probe, FillsItsBoxOfTheLayer) {
  isa::Program program;
  program.layers.push_back({"layer", "Conv", {3, 4}, 8, 0});
  isa::Probe probe;
  probe.first = {1, 2};
  probe.extent = {2, 2};
  probe.placement.base_bit = 8;
  probe.placement.strides = {16, 8};
  const uint8_t spm[] = {99, 1, 2, 3, 0xfc, 99};
  const uint8_t dram[] = {99, 11, 12, 13, 14, 99};
  std::vector<int32_t> layer(12, 50);
  ReadProbe(program, probe, {dram, spm}, layer.data());
  EXPECT_EQ(layer, (std::vector<int32_t>{50, 50, 50, 50, 50, 50, 1, 2, 50, 50, 3, -4}));
  probe.memory = isa::Memory::kDram;
  ReadProbe(program, probe, {dram, spm}, layer.data());
  EXPECT_EQ(layer[10], 13);
}

}  // namespace
}  // namespace bw::machine
