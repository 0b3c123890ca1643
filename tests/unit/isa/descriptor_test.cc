#include "compiler/isa/descriptor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <random>

#include "tests/unit/isa/operation.h"

namespace bw::isa {
namespace {

using ::testing::HasSubstr;

constexpr uint64_t kSeed = 77;

// ---- accepted descriptors stay inside, rejected ones do not

struct Reach {
  int64_t lo = std::numeric_limits<int64_t>::max(), hi = std::numeric_limits<int64_t>::min();
  void Add(int64_t first, int64_t width) {
    lo = std::min(lo, first);
    hi = std::max(hi, first + width - 1);
  }
  bool Inside(int64_t size) const { return lo > hi || (lo >= 0 && hi < size); }
};

void ForEachIndex(const std::array<int64_t, kCounters>& count,
                  const std::function<void(const std::array<int64_t, kCounters>&)>& visit) {
  std::array<int64_t, kCounters> c{};
  for (;;) {
    visit(c);
    size_t i = 0;
    while (i < kCounters && ++c[i] == count[i]) c[i++] = 0;
    if (i == kCounters) return;
  }
}

TEST(Transfer, AcceptsExactlyTheLoadsThatStayInside) {
  std::mt19937_64 random(kSeed);
  const auto in = [&](int64_t lo, int64_t hi) {
    return std::uniform_int_distribution<int64_t>(lo, hi)(random);
  };
  const hwconfig::HwConfig config = SmallConfig();
  int accepted = 0, rejected = 0;
  for (int round = 0; round < 20000; ++round) {
    Operation s = LoadOf();
    std::array<int64_t, kCounters> count{}, dstr{}, mstr{}, lo{}, hi{};
    int64_t dense = 8;  // keeps the elements apart
    for (int i = 0; i < kCounters; ++i) {
      const auto k = static_cast<size_t>(i);
      count[k] = in(1, i < 3 ? 4 : 1);
      dstr[k] = in(-4000, 4000);
      mstr[k] = (dense + 8 * in(0, 8)) * (in(0, 1) ? 1 : -1);
      dense = std::abs(mstr[k]) * count[k];
      lo[k] = in(-1, 1);
      hi[k] = in(lo[k], 5);
      s.Set(LoadReg::kcnt0, count[k], i).Set(LoadReg::kdstr0, dstr[k], i);
      s.Set(LoadReg::kmstr0, mstr[k], i).Set(LoadReg::klo0, lo[k], i);
      s.Set(LoadReg::khi0, hi[k], i);
    }
    s.instruction.ld.dram = static_cast<uint64_t>(in(0, 1) ? in(0, 3000) : in(62000, 65535));
    s.instruction.ld.dram_bit = static_cast<uint8_t>(in(0, 7));
    s.instruction.ld.local = static_cast<uint32_t>(in(0, 1023));
    Reach dram, local;
    ForEachIndex(count, [&](const std::array<int64_t, kCounters>& c) {
      auto d = static_cast<int64_t>(s.instruction.ld.dram * 8 + s.instruction.ld.dram_bit);
      auto m = static_cast<int64_t>(s.instruction.ld.local) * 8;
      bool inside = true;
      for (size_t k = 0; k < kCounters; ++k) {
        d += c[k] * dstr[k];
        m += c[k] * mstr[k];
        inside = inside && c[k] >= lo[k] && c[k] < hi[k];
      }
      local.Add(m, 8);
      if (inside) dram.Add(d, 8);
    });
    const bool fits = dram.Inside(config.dram_bytes * 8) && local.Inside(config.spm_bytes * 8);
    const auto made = MakeTransfer(s.instruction, s.registers, config);
    ASSERT_EQ(made.ok(), fits) << (made.ok() ? "accepted" : ToString(made.errors()));
    ++(fits ? accepted : rejected);
  }
  EXPECT_GT(accepted, 500);
  EXPECT_GT(rejected, 500);
}

TEST(Mac, AcceptsExactlyTheOperandsThatStayInside) {
  std::mt19937_64 random(kSeed);
  const auto in = [&](int64_t lo, int64_t hi) {
    return std::uniform_int_distribution<int64_t>(lo, hi)(random);
  };
  const hwconfig::HwConfig config = SmallConfig();
  int accepted = 0, rejected = 0;
  for (int round = 0; round < 20000; ++round) {
    const bool dw = in(0, 1) != 0;
    Operation s = MacOf(dw ? Opcode::kDw : Opcode::kMm);
    // m0 m1 n k0 k1 k2
    std::array<int64_t, kCounters> count = {in(1, 3),          in(1, 3), in(1, 3),
                                            dw ? 1 : in(1, 3), in(1, 3), in(1, 3)};
    for (int i = 0; i < kCounters; ++i) s.Set(MacReg::km0, count[static_cast<size_t>(i)], i);
    std::array<int64_t, kCounters> a{}, b{};
    const std::array<MacReg, kCounters> a_reg = {MacReg::kam0, MacReg::kam1, MacReg::kan,
                                                 MacReg::kak0, MacReg::kak1, MacReg::kak2};
    for (size_t k = 0; k < kCounters; ++k) {
      a[k] = 8 * in(-40, 40);
      s.Set(a_reg[k], a[k]);
      if (k == 2 && !dw) a[k] = 0;
    }
    const std::array<MacReg, kCounters> b_reg = {MacReg::kbn,  MacReg::kbn,  MacReg::kbn,
                                                 MacReg::kbk0, MacReg::kbk1, MacReg::kbk2};
    for (size_t k = 2; k < kCounters; ++k) {
      b[k] = 8 * in(-40, 40);
      s.Set(b_reg[k], b[k]);
    }
    const int64_t x0 = in(-2, 2), xm = in(-2, 2), xk = in(-2, 2), xlim = in(0, 4);
    const int64_t y0 = in(-2, 2), ym = in(-2, 2), yk = in(-2, 2), ylim = in(0, 4);
    s.Set(MacReg::kx0, x0).Set(MacReg::kxm, xm).Set(MacReg::kxk, xk).Set(MacReg::kxlim, xlim);
    s.Set(MacReg::ky0, y0).Set(MacReg::kym, ym).Set(MacReg::kyk, yk).Set(MacReg::kylim, ylim);
    s.Set(MacReg::kcm0, 3).Set(MacReg::kcm1, 9);
    auto& mac = s.instruction.mac;
    mac.a_base = static_cast<uint32_t>(in(0, 1023));
    mac.b_base = static_cast<uint32_t>(in(0, 1023));
    mac.acc_base = static_cast<uint32_t>(in(0, 63));
    mac.bias_base = static_cast<uint32_t>(in(900, 1023));
    mac.init = static_cast<AccInit>(in(0, 2));
    Reach spm_a, spm_b, acc;
    ForEachIndex(count, [&](const std::array<int64_t, kCounters>& c) {
      int64_t at_a = int64_t{mac.a_base} * 8, at_b = int64_t{mac.b_base} * 8;
      for (size_t k = 0; k < kCounters; ++k) {
        at_a += c[k] * a[k];
        at_b += c[k] * b[k];
      }
      const int64_t x = x0 + c[0] * xm + c[4] * xk, y = y0 + c[1] * ym + c[5] * yk;
      if (x >= 0 && x < xlim && y >= 0 && y < ylim) spm_a.Add(at_a, 8);
      spm_b.Add(at_b, 8);
      acc.Add(mac.acc_base + c[0] * 3 + c[1] * 9 + c[2], 1);
    });
    const bool bias_fits = mac.init != AccInit::kBias || mac.bias_base + count[2] * 4 <= 1024;
    const bool fits = spm_a.Inside(8192) && spm_b.Inside(8192) && acc.Inside(64) && bias_fits;
    const auto made = MakeMac(s.instruction, s.registers, config);
    ASSERT_EQ(made.ok(), fits) << (made.ok() ? "accepted" : ToString(made.errors()));
    ++(fits ? accepted : rejected);
  }
  EXPECT_GT(accepted, 500);
  EXPECT_GT(rejected, 500);
}

// Whatever the registers hold, the answer is a descriptor or an error, without overflow on the way
// (the sanitizers look).
TEST(Descriptor, ArbitraryRegistersNeverOverflow) {
  std::mt19937_64 random(kSeed);
  const hwconfig::HwConfig config = SmallConfig();
  int errors = 0;
  for (int round = 0; round < 3000; ++round) {
    for (const Opcode op : {Opcode::kLd, Opcode::kSt, Opcode::kMm, Opcode::kDw, Opcode::kEadd,
                            Opcode::kPsum, Opcode::kPmax, Opcode::kLut}) {
      Operation s = op == Opcode::kLd                        ? LoadOf()
                    : op == Opcode::kSt                      ? StoreOf()
                    : op == Opcode::kMm || op == Opcode::kDw ? MacOf(op)
                                                             : PpuOf(op);
      for (auto& value : s.registers) {
        const uint64_t pick = random() % 40;
        if (pick == 0) value = std::numeric_limits<int32_t>::min();
        if (pick == 1) value = std::numeric_limits<int32_t>::max();
        if (pick == 2) value = static_cast<int32_t>(random());
        if (pick == 3) value = static_cast<int32_t>(random() % 4096);
      }
      s.instruction.ld.dram = s.instruction.st.dram = (uint64_t{1} << 40) - 1;
      const bool ok = op == Opcode::kLd || op == Opcode::kSt
                          ? MakeTransfer(s.instruction, s.registers, config).ok()
                      : op == Opcode::kMm || op == Opcode::kDw
                          ? MakeMac(s.instruction, s.registers, config).ok()
                          : MakePpu(s.instruction, s.registers, config).ok();
      errors += !ok;
    }
  }
  EXPECT_GT(errors, 10000);
}

// ---- messages

TEST(Transfer, NamesTheRegisterItsValueAndTheLimit) {
  EXPECT_EQ(TransferMessage(LoadOf().Set(LoadReg::kcnt0, 0, 2)),
            "load.cnt2: 0 is outside 1..16777216\n");
  EXPECT_EQ(TransferMessage(LoadOf().Set(LoadReg::kdbits, 17)),
            "load.dbits: 17 is none of 2..16 or 32 bits\n");
  EXPECT_EQ(TransferMessage(LoadOf().Set(LoadReg::kdbits, 12)),
            "load.dbits: 12 bits do not fit a container of 8\n");
  EXPECT_EQ(TransferMessage(LoadOf().Set(LoadReg::kmbits, 12)),
            "load.mbits: 12 is no container here, which have 4, 8, 16 or 32 bits\n");
  EXPECT_EQ(TransferMessage(LoadOf().Set(LoadReg::kcnt0, 2).Set(LoadReg::kmstr0, 12)),
            "load.mstr0: 12 bits is not a multiple of 8, where containers start\n");
  Operation s = LoadOf().Set(LoadReg::kcnt0, 200).Set(LoadReg::kmstr0, 8);
  s.instruction.ld.local = 900;
  EXPECT_EQ(TransferMessage(s),
            "local: 900 reaches bytes 900..1099 of the scratchpad, which has "
            "0..1023\n");
}

TEST(Transfer, FillCountsOnlyWhereSomethingIsOutside) {
  Operation s = LoadOf().Set(LoadReg::kfill, 300);
  EXPECT_EQ(TransferMessage(s), "no error");
  s.Set(LoadReg::klo0, 1);
  EXPECT_EQ(TransferMessage(s), "load.fill: 300 is outside -128..255\n");
}

TEST(Transfer, StoresWriteWholeBytesInRuns) {
  Operation s = StoreOf().Set(StoreReg::kcnt0, 3).Set(StoreReg::kmstr0, 8);
  s.Set(StoreReg::kdbits, 6).Set(StoreReg::kdstr0, 8);
  EXPECT_EQ(TransferMessage(s), "store.dstr0: 8 is not dbits, 6\n");
  s.Set(StoreReg::kdstr0, 6).Set(StoreReg::kcnt0, 2, 1).Set(StoreReg::kmstr0, 24, 1);
  EXPECT_THAT(TransferMessage(s.Set(StoreReg::kdstr0, 28, 1)),
              HasSubstr("store.dstr1: 28 bits is not a multiple of 8"));
  // 3 * 6 = 18 bits take 3 bytes.
  EXPECT_EQ(TransferMessage(s.Set(StoreReg::kdstr0, 16, 1)),
            "store.dstr1..5: two runs of c0 would be written to the same place\n");
  EXPECT_EQ(TransferMessage(s.Set(StoreReg::kdstr0, 24, 1)), "no error");
}

TEST(Table, EntriesAndBytesStayInside) {
  Operation s(Opcode::kLdp, Queue::kLoad);
  const auto message = [&] {
    const auto made = MakeTable(s.instruction, SmallConfig());
    return made.ok() ? "no error" : ToString(made.errors());
  };
  EXPECT_EQ(message(), "count: 0 entries; at least one is loaded\n");
  s.instruction.ldp = {65536 - 24 * 4, 12, 4};
  EXPECT_EQ(message(), "no error");
  s.instruction.ldp = {65536 - 24 * 4 + 1, 12, 4};
  EXPECT_THAT(message(), HasSubstr("dram: 65441 reaches bytes 65441..65536 of the DRAM"));
  s.instruction.ldp = {0, 13, 4};
  EXPECT_EQ(message(),
            "entry: 13 reaches entries 13..16 of the parameter memory, which has 0..15\n");
  s.instruction.opcode = Opcode::kLdt;
  s.instruction.ldp = {0, 17, 17};
  EXPECT_EQ(message(), "no error");
  s.instruction.ldp = {0, 18, 17};
  EXPECT_THAT(message(), HasSubstr("18..34 of the lookup tables, which has 0..33"));
}

TEST(Mac, NamesWhatIsWrong) {
  EXPECT_EQ(MacMessage(MacOf()), "no error");
  EXPECT_EQ(MacMessage(MacOf(Opcode::kDw).Set(MacReg::kk0, 2)),
            "mac.k0: 2 input channels, but dw takes 1\n");
  EXPECT_EQ(MacMessage(MacOf().Set(MacReg::kabits, 32)),
            "mac.abits: 32 is no container here, which have 4, 8 or 16 bits\n");
  EXPECT_EQ(MacMessage(MacOf().Set(MacReg::kazp, 256)), "mac.azp: 256 is outside -128..255\n");
  EXPECT_EQ(MacMessage(MacOf().Set(MacReg::kasgn, 2)), "mac.asgn: 2 is outside 0..1\n");
  EXPECT_EQ(MacMessage(MacOf().Set(MacReg::km0, 2).Set(MacReg::kn, 4).Set(MacReg::kcm0, 3)),
            "mac.cm0, mac.cm1: with 3 and 0 two outputs of 4 channels share accumulators\n");
  EXPECT_EQ(MacMessage(MacOf().Set(MacReg::kk0, 2049)),
            "mac.n, mac.k0, mac.k1, mac.k2: 1 x 2049 x 1 x 1 elements of B; at most 2048 fit the "
            "scratchpad\n");
  Operation s = MacOf().Set(MacReg::kbzpv, 1).Set(MacReg::kbzpa, 1020).Set(MacReg::kn, 2);
  EXPECT_THAT(MacMessage(s), HasSubstr("mac.bzpa: 1020 reaches bytes 1020..1027"));
}

}  // namespace
}  // namespace bw::isa
