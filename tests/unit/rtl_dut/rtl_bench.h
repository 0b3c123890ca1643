// Drives a PPU core with beats and collects what comes out, with random or steady handshakes.
#ifndef TESTS_UNIT_RTL_DUT_RTL_BENCH_H_
#define TESTS_UNIT_RTL_DUT_RTL_BENCH_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "models/hwconfig/hw_config.h"
#include "sim/ppu/lane.h"
#include "sim/ppu/ppu_core.h"
#include "sim/rtl_dut/model_library.h"
#include "sim/rtl_dut/rtl_ppu_core.h"
#include "sim/timing/timing.h"

namespace bw::rtl_dut {

// The hardware of a test: edge with `overrides`, checked like a config.
inline hwconfig::HwConfig TestConfig(const std::vector<std::string>& overrides,
                                     const std::string& name = "edge") {
  std::vector<hwconfig::Override> list;
  for (const std::string& text : overrides) {
    list.push_back(hwconfig::ParseOverride(text).value());
  }
  const std::string path = std::string(BW_SOURCE_DIR) + "/configs/npu/" + name + ".yaml";
  return hwconfig::LoadHwConfig(path, list).value();
}

// The RTL model of a config, or nullptr after marking the test as skipped where there are no tools.
inline const BwRtlApi* ModelFor(const hwconfig::HwConfig& config) {
  const auto model = LoadModel(ParametersFor(config), {});
  if (!model.ok() && std::system("command -v verilator >/dev/null 2>&1") != 0) return nullptr;
  return model.value();
}
#define BW_MODEL_OR_SKIP(model, config)     \
  const BwRtlApi* model = ModelFor(config); \
  if (model == nullptr) GTEST_SKIP() << "no verilator, so no RTL model of this config"

// Writes the whole lookup memory, as many entries an edge as the bus brings.
inline void WriteTables(ppu::PpuCore& core, const hwconfig::HwConfig& hw,
                        const std::vector<int32_t>& values) {
  const auto words = static_cast<size_t>(timing::TableBeatEntries(hw, 4));
  for (size_t entry = 0; entry < values.size(); entry += words) {
    core.WriteTable(static_cast<uint32_t>(entry), values.data() + entry,
                    static_cast<int>(std::min(words, values.size() - entry)));
    core.Clock(nullptr, true);
  }
}

// Feeds beats one by one and checks every result against models/arith. Folds windows by itself.
class CheckedStream {
 public:
  explicit CheckedStream(ppu::PpuCore& core) : core_(core) {}

  // Between groups of beats, with nothing inside.
  void SetTables(const hwconfig::HwConfig& hw, std::vector<int32_t> values) {
    EXPECT_TRUE(idle());
    tables_ = std::move(values);
    WriteTables(core_, hw, tables_);
  }

  // Takes a beat as soon as the core does; the consumer is always ready.
  void Feed(const ppu::CoreBeat& beat) {
    Step(&beat, true);
    EXPECT_TRUE(taken_);
  }
  // One cycle with any handshake; returns whether the beat was taken.
  bool Step(const ppu::CoreBeat* beat, bool out_ready) {
    if (core_.OutValid() && out_ready) CheckResult();
    taken_ = core_.Clock(beat, out_ready);
    if (taken_) Expect(*beat);
    ++cycles_;
    return taken_;
  }
  void Drain() {
    for (int i = 0; i < 1000 && !expected_.empty(); ++i) Step(nullptr, true);
    EXPECT_TRUE(expected_.empty()) << expected_.size() << " beats never came out";
  }
  uint64_t compared() const { return compared_; }
  uint64_t saturated() const { return saturated_; }
  bool idle() const { return expected_.empty(); }
  uint64_t cycles() const { return cycles_; }

 private:
  using Operands = std::array<int64_t, ppu::kMaxLanes>;
  struct Expected {
    ppu::CoreBeat beat;
    ppu::CoreConfig config;
  };
  void Expect(const ppu::CoreBeat& beat) {
    if (beat.first) window_.clear();
    if (beat.inside) window_.push_back(beat.a);
    if (!beat.last) return;
    expected_.push_back({beat, *beat.config});
    if (!ppu::IsWindow(beat.config->op)) return;
    Operands& a = expected_.back().beat.a;
    a = window_.front();
    for (size_t i = 0; i < static_cast<size_t>(beat.lanes); ++i) {
      int64_t sum = 0;
      for (const Operands& position : window_) {
        a[i] = std::max(a[i], position[i]);
        sum += position[i] - beat.config->a_zero_point;
      }
      if (beat.config->op == ppu::CoreOp::kSum) a[i] = sum;
    }
  }
  void CheckResult() {
    ASSERT_FALSE(expected_.empty());
    const Expected e = expected_.front();
    expected_.pop_front();
    const ppu::CoreResult& out = core_.Out();
    ASSERT_EQ(out.tag, e.beat.tag);
    ASSERT_EQ(out.lanes, e.beat.lanes);
    for (size_t i = 0; i < static_cast<size_t>(e.beat.lanes); ++i) {
      const isa::PpuParam& p = e.beat.param[i];
      const ppu::LaneResult want =
          ppu::ComputeLane(e.config, e.beat.a[i], e.beat.b[i], p, tables_.data());
      ++compared_;
      saturated_ += want.saturated ? 1 : 0;
      ASSERT_EQ(out.y[i], want.y) << "lane " << i << " op " << static_cast<int>(e.config.op)
                                  << " mode " << arith::ToString(e.config.rounding) << " a "
                                  << e.beat.a[i] << " b " << e.beat.b[i] << " m " << p.m << " s "
                                  << p.s << " m2 " << p.m2 << " s2 " << p.s2 << " zp " << p.zp
                                  << " lo " << p.lo << " hi " << p.hi;
    }
  }
  ppu::PpuCore& core_;
  std::vector<int32_t> tables_;
  std::vector<Operands> window_;
  std::deque<Expected> expected_;
  bool taken_ = false;
  uint64_t compared_ = 0, saturated_ = 0, cycles_ = 0;
};

}  // namespace bw::rtl_dut

#endif  // TESTS_UNIT_RTL_DUT_RTL_BENCH_H_
