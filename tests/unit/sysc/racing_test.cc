// A load that overwrites an operand while the MAC array consumes it: exactly the vectors that the
// scratchpad had not served yet are the new ones.
#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "sim/sysc/systemc_executor.h"
#include "tests/unit/sysc/edit_program.h"
#include "tests/unit/sysc/matrix_program.h"

namespace bw::sysc {
namespace {

constexpr int64_t kPixels = 256, kChannels = 16;
constexpr uint32_t kWeights = 8192, kElsewhere = 16384;  // scratchpad

// For each pixel of A the cycle in which the array's read and the second load's write were served.
struct AccessTimes : SpmObserver {
  std::map<uint32_t, uint64_t> read, written;
  void OnServe(uint64_t cycle, SpmPortId port, const SpmAccess&, uint32_t first_byte,
               uint32_t) override {
    const uint32_t pixel = first_byte / static_cast<uint32_t>(kChannels);
    if (pixel >= kPixels) return;
    if (port == SpmPortId::kMacA) read[pixel] = cycle;
    if (port == SpmPortId::kLoad) written[pixel] = cycle;  // the last one stays
  }
};

// A is all 1, then all 2; weights are 1. The second load comes behind one of `delay` bytes that go
// elsewhere; `reversed`: it goes from the last pixel down.
isa::Program RacingProgram(bool reversed, int64_t delay) {
  using isa::LoadReg;
  using isa::MacReg;
  bw::testing::ProgramBuilder p(WithoutConflicts());
  p.LoadParams({One()}, 0);
  p.LoadBytes(0, 0, kPixels * kChannels);
  p.LoadBytes(0, kWeights, kChannels * kChannels);
  p.SetAll(MacReg::km0, {kPixels, 1, kChannels, kChannels, 1, 1});
  p.Set(MacReg::kam0, kChannels * 8).Set(MacReg::kak0, 8);
  p.Set(MacReg::kbk0, kChannels * 8).Set(MacReg::kbn, 8).Set(MacReg::kcm0, kChannels);
  p.Set(MacReg::kxlim, 1).Set(MacReg::kylim, 1);
  p.SetAll(MacReg::kabits, {8, 1, 0}).SetAll(MacReg::kbbits, {8, 1, 0});
  p.Mac(isa::Opcode::kMm, 0, kWeights, 0, isa::AccInit::kZero);
  p.LoadBytes(0, kElsewhere, delay);
  if (reversed) {
    p.SetAll(LoadReg::kcnt0, {kChannels, kPixels, 1, 1, 1, 1});
    p.SetAll(LoadReg::khi0, {kChannels, kPixels, 1, 1, 1, 1});
    p.Set(LoadReg::kdstr0, kChannels * 8, 1).Set(LoadReg::kmstr0, -kChannels * 8, 1);
    p.Ld(65536, (kPixels - 1) * kChannels);
  } else {
    p.LoadBytes(65536, 0, kPixels * kChannels);
  }
  EmitReadOut(p, kPixels, kChannels);
  p.StoreBytes(kMatrixOutput, kMatrixResult, kPixels * kChannels * 4);
  isa::Program program = p.Finish();
  const uint32_t mm = Find(program, isa::Opcode::kMm);
  Disconnect(program, mm, Find(program, isa::Opcode::kLd, 2));
  Connect(program, mm, Find(program, isa::Opcode::kRq));
  return program;
}

struct Outcome {
  int old_pixels = 0, new_pixels = 0;
};

Outcome Race(bool reversed, int64_t delay) {
  const isa::Program program = RacingProgram(reversed, delay);
  AccessTimes times;
  SystemcOptions options;
  options.spm_observer = &times;
  SystemcExecutor executor(program.config, options);
  EXPECT_TRUE(executor.Load(program).ok());
  std::fill_n(executor.dram(), kPixels * kChannels, uint8_t{1});
  std::fill_n(executor.dram() + 65536, kPixels * kChannels, uint8_t{2});
  const Status status = executor.Run(nullptr);
  EXPECT_TRUE(status.ok()) << ToString(status.errors());
  Outcome outcome;
  for (uint32_t pixel = 0; pixel < kPixels; ++pixel) {
    const bool is_old = times.read.at(pixel) < times.written.at(pixel);
    ++(is_old ? outcome.old_pixels : outcome.new_pixels);
    for (int64_t n = 0; n < kChannels; ++n) {
      int32_t sum = 0;
      std::memcpy(&sum, executor.dram() + kMatrixOutput + (pixel * kChannels + n) * 4, 4);
      EXPECT_EQ(sum, is_old ? kChannels : 2 * kChannels) << "pixel " << pixel;
    }
  }
  return outcome;
}

TEST(Racing, ALoadAgainstTheDirectionOfTheArrayMeetsItInTheMiddle) {
  const Outcome outcome = Race(true, 16);
  EXPECT_GT(outcome.old_pixels, 0);
  EXPECT_GT(outcome.new_pixels, 0);
}

TEST(Racing, AnEarlierLoadReplacesMore) {
  const Outcome early = Race(true, 16), late = Race(true, 2048);
  EXPECT_GT(late.new_pixels, 0);
  EXPECT_GT(early.new_pixels, late.new_pixels + 10);
}

TEST(Racing, ALoadBehindTheArrayReplacesNothing) { EXPECT_EQ(Race(false, 2048).new_pixels, 0); }

}  // namespace
}  // namespace bw::sysc
