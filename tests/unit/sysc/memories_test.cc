// Scratchpad, accumulators and external memory, one at a time and cycle by cycle.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "sim/sysc/acc_sram.h"
#include "sim/sysc/dram.h"
#include "sim/sysc/dram_controller.h"
#include "sim/sysc/scratchpad.h"

namespace bw::sysc {
namespace {

struct NoListener : RetireListener {
  void OnRetire(isa::Queue, uint32_t instruction) override { retired.push_back(instruction); }
  std::vector<uint32_t> retired;
};

class MemoriesTest : public ::testing::Test {
 protected:
  MemoriesTest() {
    context_.config.name = "test";
    context_.config.spm_banks = 4;
    context_.config.spm_bank_bytes = 4;
    context_.config.spm_bytes = 1024;
    context_.config.array_cols = 4;
    context_.config.acc_entries = 64;
    context_.config.dram_bytes_per_cycle = 16;
    context_.config.dram_latency = 20;
    context_.config.dma_outstanding = 4;
    context_.tokens.Configure(context_.clock);
    context_.retirement.Configure(context_.clock, context_.tokens, listener_);
  }
  MachineContext context_;
  NoListener listener_;
};

class ScratchpadTest : public MemoriesTest {
 protected:
  ScratchpadTest() : spm_("spm") { Configure(); }
  void Configure() {
    spm_.Configure(context_);
    for (size_t i = 0; i < 1024; ++i) spm_.bytes()[i] = static_cast<uint8_t>(i);
  }
  void Cycle() {
    spm_.Clock();
    ++context_.clock.now;
  }
  void Read(SpmPortId port, uint64_t byte, int count, int64_t stride_bits = 8) {
    SpmAccess& access = spm_.port(port).Next();
    access.Begin(false, 8);
    access.AddStrided(static_cast<int64_t>(byte) * 8, stride_bits, count, 0);
    spm_.port(port).Issue();
  }
  void Write(SpmPortId port, uint64_t byte, uint8_t value) {
    SpmAccess& access = spm_.port(port).Next();
    access.Begin(true, 8);
    access.data[access.Add(byte * 8, 1, 0) / 8] = value;
    spm_.port(port).Issue();
  }
  // Cycles until the port's oldest read can be used, from the current one on.
  int64_t CyclesUntilServed(SpmPortId port) {
    const uint64_t start = context_.clock.now;
    while (!spm_.port(port).HasServed()) Cycle();
    return static_cast<int64_t>(context_.clock.now - start);
  }
  std::vector<int32_t> Take(SpmPortId port, int count) {
    std::vector<int32_t> values(static_cast<size_t>(count));
    spm_.port(port).Served().Decode(false, values.data());
    spm_.port(port).Take();
    return values;
  }
  Scratchpad spm_;
};

TEST_F(ScratchpadTest, AVectorWithoutConflictIsReadyAfterTheReadLatency) {
  Read(SpmPortId::kMacA, 2, 8);  // three words of three banks
  EXPECT_EQ(CyclesUntilServed(SpmPortId::kMacA), timing::kMemoryReadLatency);
  EXPECT_EQ(Take(SpmPortId::kMacA, 8), (std::vector<int32_t>{2, 3, 4, 5, 6, 7, 8, 9}));
}

TEST_F(ScratchpadTest, WordsOfOneBankAreServedOneACycle) {
  Read(SpmPortId::kMacA, 0, 3, 16 * 8);  // bytes 0, 16, 32: all in bank 0
  EXPECT_EQ(CyclesUntilServed(SpmPortId::kMacA), timing::kMemoryReadLatency + 2);
  EXPECT_EQ(Take(SpmPortId::kMacA, 3), (std::vector<int32_t>{0, 16, 32}));
}

TEST_F(ScratchpadTest, ElementsOfOneWordCostOneAccess) {
  Read(SpmPortId::kMacA, 0, 2, 2 * 8);
  EXPECT_EQ(CyclesUntilServed(SpmPortId::kMacA), timing::kMemoryReadLatency);
}

TEST_F(ScratchpadTest, TwoPortsOnOneBankTakeTurns) {
  Read(SpmPortId::kMacA, 0, 4);
  Read(SpmPortId::kPpuA, 16, 4);
  Cycle();
  Cycle();
  const bool a = spm_.port(SpmPortId::kMacA).HasServed();
  const bool b = spm_.port(SpmPortId::kPpuA).HasServed();
  EXPECT_NE(a, b);
  EXPECT_TRUE(spm_.port(a ? SpmPortId::kPpuA : SpmPortId::kMacA).Conflicted());
  Cycle();
  EXPECT_TRUE(spm_.port(SpmPortId::kMacA).HasServed());
  EXPECT_TRUE(spm_.port(SpmPortId::kPpuA).HasServed());
}

TEST_F(ScratchpadTest, TwoPortsOnDifferentBanksDoNotMeet) {
  Read(SpmPortId::kMacA, 0, 4);
  Read(SpmPortId::kPpuA, 4, 4);
  Cycle();
  Cycle();
  EXPECT_TRUE(spm_.port(SpmPortId::kMacA).HasServed());
  EXPECT_TRUE(spm_.port(SpmPortId::kPpuA).HasServed());
}

TEST_F(ScratchpadTest, AReadReturnsTheBytesOfTheCycleThatServedIt) {
  Read(SpmPortId::kMacA, 0, 1);
  Cycle();
  Cycle();  // served here
  Write(SpmPortId::kLoad, 0, 99);
  Cycle();
  Cycle();
  Read(SpmPortId::kMacA, 0, 1);
  EXPECT_EQ(Take(SpmPortId::kMacA, 1), std::vector<int32_t>{0});
  CyclesUntilServed(SpmPortId::kMacA);
  EXPECT_EQ(Take(SpmPortId::kMacA, 1), std::vector<int32_t>{99});
}

TEST_F(ScratchpadTest, AnAccessWithoutElementsNeedsNoBank) {
  Read(SpmPortId::kMacB, 0, 4);
  spm_.port(SpmPortId::kMacA).Next().Begin(false, 8);
  spm_.port(SpmPortId::kMacA).Issue();
  Cycle();
  Cycle();
  EXPECT_TRUE(spm_.port(SpmPortId::kMacA).HasServed());
  EXPECT_TRUE(spm_.port(SpmPortId::kMacB).HasServed());
}

TEST_F(ScratchpadTest, NibbleWritesKeepTheirNeighbours) {
  SpmAccess& access = spm_.port(SpmPortId::kLoad).Next();
  access.Begin(true, 4);
  uint32_t bit = access.Add(16 * 8 + 4, 4, 0);  // high of 16, both of 17, low of 18
  for (const int value : {0xa, 0xb, 0xc, 0xd}) {
    tensor::WriteBits(access.data.data(), bit, 4, value);
    bit += 4;
  }
  spm_.port(SpmPortId::kLoad).Issue();
  Cycle();
  Cycle();
  EXPECT_EQ(spm_.bytes()[16], 0xa0);
  EXPECT_EQ(spm_.bytes()[17], 0xcb);
  EXPECT_EQ(spm_.bytes()[18], 0x1d);
}

TEST_F(ScratchpadTest, OneVectorACycleStreams) {
  int taken = 0;
  for (int cycle = 0; cycle < 50; ++cycle) {
    if (spm_.port(SpmPortId::kMacA).HasServed()) spm_.port(SpmPortId::kMacA).Take(), ++taken;
    ASSERT_TRUE(spm_.port(SpmPortId::kMacA).HasSpace());
    Read(SpmPortId::kMacA, static_cast<uint64_t>(cycle) * 4, 4);
    Cycle();
  }
  EXPECT_EQ(taken, 50 - timing::kMemoryReadLatency);
}

class AccSramTest : public MemoriesTest {
 protected:
  AccSramTest() : acc_("acc") { acc_.Configure(context_); }
  void Cycle() {
    acc_.Clock();
    ++context_.clock.now;
  }
  void Add(uint32_t entry, int64_t value, uint64_t due, bool overwrite = false) {
    PartialSums& row = acc_.sums().Next();
    row.due = due;
    row.entry = entry;
    row.count = 1;
    row.overwrite = overwrite;
    row.last_of = kNoInstruction;
    row.sum[0] = value;
    acc_.sums().Push();
  }
  void Read(size_t operand, int64_t first, int64_t stride, int count) {
    AccAccess& access = acc_.port(operand).Next();
    access.first = first;
    access.stride = stride;
    access.count = count;
    access.served = 0;
    acc_.port(operand).Issue();
  }
  AccSram acc_;
};

TEST_F(AccSramTest, SumsArriveWhenTheyAreDueAndNotBefore) {
  Add(3, 5, 4);
  for (int i = 0; i < 4; ++i) Cycle();
  EXPECT_EQ(acc_.entries()[3], 0);
  Cycle();
  EXPECT_EQ(acc_.entries()[3], 5);
}

TEST_F(AccSramTest, SumsWrapToAccBits) {
  context_.config.acc_bits = 16;
  Add(0, 32767, 0, true);
  Cycle();
  Add(0, 2, 0);
  Cycle();
  Cycle();
  EXPECT_EQ(acc_.entries()[0], -32767);
}

TEST_F(AccSramTest, AReadSeesTheStartOfTheCycle) {
  Read(0, 0, 1, 1);
  Add(0, 7, 1);
  Cycle();
  Cycle();  // both served here
  EXPECT_EQ(acc_.port(0).Served().value[0], 0);
  EXPECT_EQ(acc_.entries()[0], 7);
}

TEST_F(AccSramTest, EntriesOfOneBankAreReadOneACycle) {
  Read(0, 0, 4, 3);  // bank 0 of 4, three times
  Cycle();
  Cycle();
  EXPECT_FALSE(acc_.port(0).HasServed());
  EXPECT_TRUE(acc_.port(0).Conflicted());
  Cycle();
  EXPECT_FALSE(acc_.port(0).HasServed());
  Cycle();
  EXPECT_TRUE(acc_.port(0).HasServed());
}

class DramTest : public MemoriesTest {
 protected:
  DramTest() : dram_("dram"), controller_("controller"), data_(65536) {
    controller_.socket.bind(dram_.socket);
    Configure();
    for (size_t i = 0; i < data_.size(); ++i) data_[i] = static_cast<uint8_t>(i / 16);
  }
  void Configure() {
    context_.config.dram_bytes = static_cast<int64_t>(data_.size());
    dram_.Configure(context_.config, data_.data(), std::vector<isa::Word>(16));
    controller_.Configure(context_);
  }
  void Cycle() {
    controller_.Clock();
    ++context_.clock.now;
  }
  void Read(Requester of, uint64_t address, uint32_t bytes) {
    controller_.requests(of).Next() = {address, bytes};
    controller_.requests(of).Push();
  }
  // The cycle from which a beat can be used.
  uint64_t NextBeat(Requester of) {
    while (!controller_.answers(of).HasEntry()) Cycle();
    controller_.answers(of).Pop();
    return context_.clock.now;
  }
  Dram dram_;
  DramController controller_;
  std::vector<uint8_t> data_;
};

TEST_F(DramTest, FirstDataComesAfterTheLatencyAndNotBefore) {
  Read(Requester::kLoad, 256, 64);
  // One hop to the controller, the latency, one hop back.
  const uint64_t ready = 1 + static_cast<uint64_t>(timing::DramReadLatency(context_.config)) + 1;
  while (context_.clock.now < ready - 1) Cycle();
  EXPECT_FALSE(controller_.answers(Requester::kLoad).HasEntry());
  Cycle();
  ASSERT_TRUE(controller_.answers(Requester::kLoad).HasEntry());
  EXPECT_EQ(controller_.answers(Requester::kLoad).Front().bytes, 16U);
  EXPECT_EQ(controller_.answers(Requester::kLoad).Front().data[0], 16);
}

TEST_F(DramTest, AlignedBeatsFollowOneACycle) {
  Read(Requester::kLoad, 8, 32);  // 8, 16 and 8 bytes
  const uint64_t first = NextBeat(Requester::kLoad);
  EXPECT_EQ(NextBeat(Requester::kLoad), first + 1);
  EXPECT_EQ(NextBeat(Requester::kLoad), first + 2);
}

TEST_F(DramTest, BurstsUnderWayHideTheirLatency) {
  Read(Requester::kLoad, 0, 64);
  Cycle();
  Read(Requester::kLoad, 64, 64);
  const uint64_t first = NextBeat(Requester::kLoad);
  for (uint64_t beat = 1; beat < 8; ++beat) EXPECT_EQ(NextBeat(Requester::kLoad), first + beat);
}

TEST_F(DramTest, FetchGoesFirstAndTheOthersSeeTheBusTaken) {
  Read(Requester::kLoad, 0, 256);  // 16 beats, while the next two become ready
  Cycle();
  Read(Requester::kLoad, 256, 16);
  Cycle();
  Read(Requester::kFetch, kCodeRegion, 64);
  for (int beat = 0; beat < 16; ++beat) NextBeat(Requester::kLoad);
  const uint64_t first_of_fetch = NextBeat(Requester::kFetch);
  EXPECT_FALSE(controller_.answers(Requester::kLoad).HasEntry());
  EXPECT_EQ(controller_.Waiting(Requester::kFetch), Cause::kBusy);
  EXPECT_EQ(controller_.Waiting(Requester::kLoad), Cause::kDramBandwidth);
  EXPECT_EQ(NextBeat(Requester::kLoad), first_of_fetch + 4);
}

TEST_F(DramTest, AWriteIsInPlaceWithItsLastBeat) {
  WriteBurst& burst = controller_.writes().Next();
  burst.address = 32;
  burst.bytes = 48;
  burst.last_of = 9;
  burst.data.fill(0xee);
  context_.retirement.Start(isa::Queue::kStore, 9, 0);
  controller_.writes().Push();
  Cycle();  // hop
  Cycle();
  Cycle();
  EXPECT_EQ(data_[32], 2);
  EXPECT_TRUE(listener_.retired.empty());
  Cycle();
  EXPECT_EQ(data_[32], 0xee);
  EXPECT_EQ(data_[79], 0xee);
  EXPECT_EQ(data_[80], 5);
  EXPECT_EQ(listener_.retired, std::vector<uint32_t>{9});
}

TEST_F(DramTest, AReadTakesItsBytesWhenItsDataStarts) {
  Read(Requester::kLoad, 0, 16);
  const uint64_t start = 1 + static_cast<uint64_t>(timing::DramReadLatency(context_.config));
  while (context_.clock.now < start) Cycle();
  data_[0] = 77;  // still in time
  Cycle();
  data_[0] = 78;  // too late
  ASSERT_TRUE(controller_.answers(Requester::kLoad).HasEntry());
  EXPECT_EQ(controller_.answers(Requester::kLoad).Front().data[0], 77);
}

}  // namespace
}  // namespace bw::sysc
