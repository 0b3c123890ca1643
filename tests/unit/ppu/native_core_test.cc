#include "sim/ppu/native_core.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "sim/ppu/traffic_recorder.h"
#include "sim/timing/timing.h"

namespace bw::ppu {
namespace {

constexpr isa::PpuParam kIdentity = {1, 1, 0, -128, 127, 0, 0};

class NativeCoreTest : public testing::Test {
 protected:
  NativeCoreTest() : core_(hardware_) { core_.Reset(); }

  CoreBeat Beat(int64_t a, int lanes = 1) {
    CoreBeat beat;
    beat.config = &config_;
    beat.lanes = lanes;
    for (size_t i = 0; i < static_cast<size_t>(lanes); ++i) {
      beat.a[i] = a;
      beat.b[i] = 0;
      beat.param[i] = kIdentity;
    }
    return beat;
  }
  // Clocks without input until a result is out.
  CoreResult Drain() {
    for (int i = 0; i < depth_ && !core_.OutValid(); ++i) core_.Clock(nullptr, true);
    EXPECT_TRUE(core_.OutValid());
    return core_.Out();
  }

  hwconfig::HwConfig hardware_;
  const int depth_ = timing::PpuPipelineDepth(hardware_);
  CoreConfig config_;
  NativeCore core_;
};

TEST_F(NativeCoreTest, ResultIsOutAfterDepthEdgesAndNotBefore) {
  const CoreBeat beat = Beat(5);
  ASSERT_TRUE(core_.Clock(&beat, true));
  for (int edge = 2; edge <= depth_; ++edge) {
    EXPECT_FALSE(core_.OutValid()) << "before edge " << edge;
    core_.Clock(nullptr, true);
  }
  ASSERT_TRUE(core_.OutValid());
  EXPECT_EQ(core_.Out().y[0], 5);
  core_.Clock(nullptr, true);
  EXPECT_FALSE(core_.OutValid());
}

TEST_F(NativeCoreTest, NothingMovesWhileTheOutputIsRefused) {
  const CoreBeat first = Beat(1), second = Beat(2);
  core_.Clock(&first, false);
  core_.Clock(&second, false);
  while (!core_.OutValid()) core_.Clock(nullptr, false);
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(core_.Clock(&first, false));
    EXPECT_EQ(core_.Out().y[0], 1);
  }
  EXPECT_TRUE(core_.Clock(nullptr, true) == false);
  EXPECT_EQ(core_.Out().y[0], 2);
}

TEST_F(NativeCoreTest, BubblesAdvanceWhenTheOutputIsEmpty) {
  const CoreBeat beat = Beat(7);
  core_.Clock(&beat, false);
  for (int i = 1; i < depth_; ++i) core_.Clock(nullptr, false);
  EXPECT_TRUE(core_.OutValid());
}

TEST_F(NativeCoreTest, SaturationsCountTheLanesInUseWhenTheyLeave) {
  const CoreBeat beat = Beat(1000, 3);
  core_.Clock(&beat, true);
  Drain();
  EXPECT_EQ(core_.Out().y[2], 127);
  EXPECT_EQ(core_.Saturations(), 0U);
  core_.Clock(nullptr, true);
  EXPECT_EQ(core_.Saturations(), 3U);
  core_.Reset();
  EXPECT_EQ(core_.Saturations(), 0U);
}

TEST_F(NativeCoreTest, ALimitReachedExactlyIsNoSaturation) {
  const CoreBeat beat = Beat(127);
  core_.Clock(&beat, true);
  Drain();
  core_.Clock(nullptr, true);
  EXPECT_EQ(core_.Saturations(), 0U);
}

TEST_F(NativeCoreTest, PassIgnoresParametersAndNeverSaturates) {
  config_.op = CoreOp::kPass;
  config_.a_zero_point = 9;
  const CoreBeat beat = Beat(-2000000000);
  core_.Clock(&beat, true);
  EXPECT_EQ(Drain().y[0], -2000000000);
  core_.Clock(nullptr, true);
  EXPECT_EQ(core_.Saturations(), 0U);
}

TEST_F(NativeCoreTest, NegativeSetIsForNegativeValuesOnly) {
  config_.negative_set = true;
  config_.a_zero_point = 10;
  CoreBeat beat = Beat(0, 2);
  beat.a[0] = 14;  // 4
  beat.a[1] = 6;   // -4
  beat.param[0] = beat.param[1] = {3, 1, 0, -128, 127, 0, 1};
  core_.Clock(&beat, true);
  const CoreResult result = Drain();
  EXPECT_EQ(result.y[0], 12);
  EXPECT_EQ(result.y[1], -2);
}

TEST_F(NativeCoreTest, AddAndMultiplyFollowTheWorkedExample) {
  // NUMERICS.md section 5: 127 and 63, one stage, and the product.
  config_.op = CoreOp::kAdd;
  config_.add.a = {0, 0, 45335, 1, true};
  config_.add.b = {0, 15, 0, 0, false};
  CoreBeat beat = Beat(127);
  beat.b[0] = 63;
  beat.param[0] = {52547, 0, 0, -127, 127, 31, 0};
  core_.Clock(&beat, true);
  EXPECT_EQ(Drain().y[0], 121);
  core_.Reset();
  config_ = CoreConfig{};
  config_.op = CoreOp::kMultiply;
  beat.param[0] = {33193, 0, 0, -127, 127, 21, 0};
  core_.Clock(&beat, true);
  EXPECT_EQ(Drain().y[0], 127);
}

// One position of a window.
struct Position {
  int64_t a = 0;
  bool inside = true;
};

class WindowTest : public NativeCoreTest {
 protected:
  WindowTest() { config_.rounding = arith::Rounding::kHalfUp; }

  // Feeds a window, with `bubbles` cycles between its positions, and returns its result.
  int32_t Fold(const std::vector<Position>& window, int bubbles = 0) {
    for (size_t i = 0; i < window.size(); ++i) {
      CoreBeat beat = Beat(window[i].a);
      beat.inside = window[i].inside;
      beat.first = i == 0;
      beat.last = i + 1 == window.size();
      EXPECT_TRUE(core_.Clock(&beat, true));
      for (int k = 0; k < bubbles && !beat.last; ++k) core_.Clock(nullptr, true);
    }
    const int32_t y = Drain().y[0];
    core_.Clock(nullptr, true);
    return y;
  }
};

TEST_F(WindowTest, AMaximumIsOfPositionsInsideAndNeverSaturates) {
  config_.op = CoreOp::kMaximum;
  config_.a_zero_point = 9;  // without effect
  EXPECT_EQ(Fold({{-7}, {-3}, {-5}}), -3);
  EXPECT_EQ(Fold({{100, false}, {-7}, {50, false}}), -7);
  EXPECT_EQ(Fold({{-2000000000}}), -2000000000);
  EXPECT_EQ(core_.Saturations(), 0U);
}

TEST_F(WindowTest, ASumSubtractsTheZeroPointOfPositionsInside) {
  config_.op = CoreOp::kSum;
  config_.a_zero_point = 10;
  EXPECT_EQ(Fold({{14}, {1000, false}, {7}}), 1);
  EXPECT_EQ(Fold({{20}, {100}, {90}}), 127);  // 180, clipped
  EXPECT_EQ(core_.Saturations(), 1U);
}

TEST_F(WindowTest, BubblesBetweenPositionsChangeNothing) {
  config_.op = CoreOp::kSum;
  EXPECT_EQ(Fold({{1}, {20}, {300, false}, {4}}, 3), 25);
}

TEST_F(WindowTest, PositionsBeforeTheLastOneMakeBubbles) {
  config_.op = CoreOp::kMaximum;
  CoreBeat beat = Beat(1);
  beat.last = false;
  core_.Clock(&beat, true);
  beat.first = false;
  beat.last = true;
  core_.Clock(&beat, true);
  for (int edge = 2; edge <= depth_; ++edge) {
    EXPECT_FALSE(core_.OutValid()) << "before edge " << edge;
    core_.Clock(nullptr, true);
  }
  EXPECT_TRUE(core_.OutValid());
}

TEST_F(WindowTest, ARefusedPositionIsNotFolded) {
  config_.op = CoreOp::kSum;
  const CoreBeat whole = Beat(5);
  core_.Clock(&whole, false);
  CoreBeat beat = Beat(1);
  beat.last = false;
  while (!core_.OutValid()) core_.Clock(nullptr, false);
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(core_.Clock(&beat, false));
  EXPECT_TRUE(core_.Clock(&beat, true));
  beat.first = false;
  beat.last = true;
  EXPECT_TRUE(core_.Clock(&beat, true));
  EXPECT_EQ(Drain().y[0], 2);
}

TEST_F(NativeCoreTest, LookupsReadWhatWasWritten) {
  const std::vector<int32_t> values = {-10, 0, 30};
  core_.WriteTable(257, values.data(), 3);
  config_.op = CoreOp::kLookup;
  config_.table = 257;
  config_.lut = {0, 8, 2, 2, true, false};
  CoreBeat beat = Beat(0, 4);
  beat.a = {-5, 2, 5, 99};
  core_.Clock(&beat, true);
  const CoreResult& limited = Drain();
  EXPECT_EQ(limited.y[0], -10);
  EXPECT_EQ(limited.y[1], -5);
  EXPECT_EQ(limited.y[2], 8);  // 7.5
  EXPECT_EQ(limited.y[3], 30);
  core_.Clock(nullptr, true);
  config_.lut.ramp_outside = true;
  core_.Clock(&beat, true);
  EXPECT_EQ(Drain().y[0], 0);
  EXPECT_EQ(core_.Out().y[3], 99);
  core_.Clock(nullptr, true);
  EXPECT_EQ(core_.Saturations(), 0U);
}

struct Counts : TrafficSink {
  std::vector<int64_t> in;
  std::vector<int32_t> out;
  std::vector<int32_t> table;
  void OnTable(uint32_t entry, const int32_t* values, int count) override {
    table.resize(entry);
    table.insert(table.end(), values, values + count);
  }
  void OnBeat(const CoreBeat& beat) override { in.push_back(beat.a[0]); }
  void OnResult(const CoreResult& result) override { out.push_back(result.y[0]); }
};

TEST_F(NativeCoreTest, RecorderHearsEveryBeatAndResultOnce) {
  Counts counts;
  PpuTrafficRecorder recorder(std::make_unique<NativeCore>(hardware_), counts);
  recorder.Reset();
  const std::vector<int32_t> values = {5, 6};
  recorder.WriteTable(1, values.data(), 2);
  EXPECT_EQ(counts.table, (std::vector<int32_t>{0, 5, 6}));
  int64_t offered = 0;
  for (int cycle = 0; cycle < 60; ++cycle) {
    const CoreBeat beat = Beat(offered);
    const bool ready = cycle % 3 != 0;
    const bool offer = offered < 20;
    if (recorder.Clock(offer ? &beat : nullptr, ready)) ++offered;
  }
  ASSERT_EQ(counts.in.size(), 20U);
  ASSERT_EQ(counts.out.size(), 20U);
  for (size_t i = 0; i < 20; ++i) EXPECT_EQ(counts.out[i], counts.in[i]);
}

}  // namespace
}  // namespace bw::ppu
