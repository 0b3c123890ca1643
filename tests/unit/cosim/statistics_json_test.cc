#include "sim/cosim/statistics_json.h"

#include <gtest/gtest.h>

namespace bw::cosim {
namespace {

using sysc::Cause;
using sysc::Engine;

void Set(sysc::EngineCycles& engines, Engine engine, Cause cause, uint64_t cycles) {
  engines[static_cast<size_t>(engine)][static_cast<size_t>(cause)] = cycles;
}

TEST(StatisticsJson, ALayerShowsTheEngineThatDidMost) {
  sysc::RunStatistics statistics;
  statistics.total_cycles = 10;
  sysc::LayerStatistics layer;
  layer.cycles = 10;
  Set(layer.engines, Engine::kMac, Cause::kBusy, 3);
  Set(layer.engines, Engine::kMac, Cause::kTokenWaitLoad, 7);
  Set(layer.engines, Engine::kPpu, Cause::kBusy, 8);
  Set(layer.engines, Engine::kPpu, Cause::kBankConflict, 2);
  statistics.layers = {layer};
  const Json json = ToJson(statistics)["layers"][0];
  EXPECT_EQ(json["engine"], "ppu");
  EXPECT_EQ(json["busy"], 8);
  EXPECT_EQ(json["stalls"], (Json{{"bank_conflict", 2}}));
  EXPECT_EQ(json["engines"]["mac"], (Json{{"busy", 3}, {"token_wait_load", 7}}));
}

TEST(EventLog, PairsStartsWithRetirements) {
  EventLog log;
  log.OnStart(isa::Queue::kLoad, 1, 5);
  log.OnStart(isa::Queue::kMac, 2, 6);
  log.OnRetire(isa::Queue::kMac, 2, 9);
  log.OnRetire(isa::Queue::kLoad, 1, 12);
  ASSERT_EQ(log.events().size(), 2U);
  EXPECT_EQ(log.events()[0].instruction, 2U);
  EXPECT_EQ(log.events()[0].begin, 6U);
  EXPECT_EQ(log.events()[1].end, 12U);
}

}  // namespace
}  // namespace bw::cosim
