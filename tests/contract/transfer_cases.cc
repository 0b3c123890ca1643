#include <algorithm>
#include <cstdlib>

#include "models/tensor/bitpack.h"
#include "tests/contract/executor_contract.h"

namespace bw::contract {
namespace {

using isa::LoadReg;
using isa::StoreReg;
using testing::ProgramBuilder;
using testing::Random;

constexpr uint64_t kResult = 65536;  // DRAM, bytes
constexpr int64_t kMiddle = 16384;   // DRAM and scratchpad: room on both sides for strides

const std::vector<int64_t> kDramBits = {2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 32};

int64_t ContainerFor(int64_t bits, Random& random) {
  std::vector<int64_t> containers;
  for (const int64_t c : {4, 8, 16, 32}) {
    if (c >= bits) containers.push_back(c);
  }
  return random.Pick(containers);
}

// Strides that keep results apart, in random order of the axes and with random signs.
std::vector<int64_t> ApartStrides(const std::vector<int64_t>& count, int64_t width, int64_t unit,
                                  Random& random) {
  std::vector<size_t> order;
  for (size_t i = 0; i < count.size(); ++i) order.push_back(i);
  for (size_t i = order.size(); i > 1; --i) {
    std::swap(order[i - 1], order[static_cast<size_t>(random.In(0, static_cast<int64_t>(i) - 1))]);
  }
  std::vector<int64_t> strides(count.size());
  int64_t covered = width;
  for (const size_t axis : order) {
    const int64_t stride = (covered + unit - 1) / unit * unit + unit * random.In(0, 2);
    strides[axis] = random.Flip() ? stride : -stride;
    covered += stride * (count[axis] - 1);
  }
  return strides;
}

int64_t SpmUnit(int64_t container) { return std::min<int64_t>(container, 8); }

void SetLoad(ProgramBuilder& p, const std::vector<int64_t>& count, int64_t bits, int64_t container,
             bool is_signed) {
  p.SetAll(LoadReg::kcnt0, count).SetAll(LoadReg::klo0, {0, 0, 0, 0, 0, 0});
  p.SetAll(LoadReg::khi0, count);
  p.Set(LoadReg::kdbits, bits).Set(LoadReg::kmbits, container).Set(LoadReg::ksgn, is_signed);
}

// What was loaded around kMiddle comes back as bytes.
void StoreAround(ProgramBuilder& p) { p.StoreBytes(kResult, kMiddle - 4096, 8192); }

void UnpackEveryWidth(ProgramBuilder& p, Random& random) {
  p.LoadBytes(0, kMiddle - 4096, 8192);
  uint32_t local = kMiddle;
  for (const int64_t bits : kDramBits) {
    const int64_t container = ContainerFor(bits, random);
    const int64_t n = random.In(1, 40);
    SetLoad(p, {n, 1, 1, 1, 1, 1}, bits, container, random.Flip());
    p.Set(LoadReg::kdstr0, bits).Set(LoadReg::kmstr0, container);
    p.Ld(static_cast<uint64_t>(random.In(0, 1000)), local, static_cast<int>(random.In(0, 7)));
    local += static_cast<uint32_t>((n * container + 7) / 8);
  }
  StoreAround(p);
}

// Six counters, strides of either sign in DRAM, 0 among them: slices, transposes, broadcasts.
void LoadNests(ProgramBuilder& p, Random& random) {
  const int64_t bits = random.Pick(kDramBits), container = ContainerFor(bits, random);
  std::vector<int64_t> count, dram;
  for (int i = 0; i < 6; ++i) {
    count.push_back(random.In(1, 3));
    dram.push_back(random.In(0, 4) == 0 ? 0 : random.In(-300, 300));
  }
  SetLoad(p, count, bits, container, random.Flip());
  p.SetAll(LoadReg::kdstr0, dram);
  p.SetAll(LoadReg::kmstr0, ApartStrides(count, container, SpmUnit(container), random));
  p.Ld(kMiddle, kMiddle, static_cast<int>(random.In(0, 7)));
  StoreAround(p);
}

void FillOutsideWindows(ProgramBuilder& p, Random& random) {
  const int64_t bits = random.Pick(kDramBits), container = ContainerFor(bits, random);
  std::vector<int64_t> count, dram, lo, hi;
  for (int i = 0; i < 6; ++i) {
    count.push_back(random.In(1, 4));
    dram.push_back(random.In(-200, 200));
    lo.push_back(random.In(-1, 1));
    hi.push_back(random.In(0, 5) == 0 ? 0 : random.In(count.back() - 1, count.back() + 1));
  }
  SetLoad(p, count, bits, container, random.Flip());
  p.SetAll(LoadReg::kdstr0, dram).SetAll(LoadReg::klo0, lo).SetAll(LoadReg::khi0, hi);
  p.SetAll(LoadReg::kmstr0, ApartStrides(count, container, SpmUnit(container), random));
  const int64_t most = std::min<int64_t>((int64_t{1} << container) - 1, INT32_MAX);
  p.Set(LoadReg::kfill, random.In(-(int64_t{1} << (container - 1)), most));
  p.Ld(kMiddle, kMiddle);
  StoreAround(p);
}

void PackEveryWidth(ProgramBuilder& p, Random& random) {
  p.LoadBytes(0, 0, 16384);
  uint64_t dram = kResult;
  for (const int64_t bits : kDramBits) {
    const int64_t container = ContainerFor(bits, random);
    const int64_t n = random.In(1, 30), rows = random.In(1, 4);
    p.SetAll(StoreReg::kcnt0, {n, rows, 1, 1, 1, 1});
    p.Set(StoreReg::kdstr0, bits).Set(StoreReg::kmstr0, container);
    const auto run =
        static_cast<int64_t>(tensor::PackedBytes(static_cast<uint64_t>(n), static_cast<int>(bits)));
    const int64_t pitch = run + random.In(0, 2);
    p.Set(StoreReg::kdstr0, pitch * 8, 1);
    p.Set(StoreReg::kmstr0, SpmUnit(container) * random.In(0, 100), 1);
    p.Set(StoreReg::kdbits, bits).Set(StoreReg::kmbits, container);
    p.Set(StoreReg::ksgn, random.Flip());
    p.St(dram, static_cast<uint32_t>(random.In(0, 8000)));
    dram += static_cast<uint64_t>(pitch * rows);
  }
}

void StoreNests(ProgramBuilder& p, Random& random) {
  p.LoadBytes(0, 0, 32768);
  const int64_t bits = random.Pick(kDramBits), container = ContainerFor(bits, random);
  std::vector<int64_t> count, local;
  for (int i = 0; i < 6; ++i) {
    count.push_back(random.In(1, 3));
    local.push_back(SpmUnit(container) * random.In(-150, 150));
  }
  const std::vector<int64_t> outer(count.begin() + 1, count.end());
  const int64_t run = (count[0] * bits + 7) / 8 * 8;
  std::vector<int64_t> dram = ApartStrides(outer, run, 8, random);
  dram.insert(dram.begin(), bits);
  p.SetAll(StoreReg::kcnt0, count).SetAll(StoreReg::kdstr0, dram);
  p.SetAll(StoreReg::kmstr0, local);
  p.Set(StoreReg::kdbits, bits).Set(StoreReg::kmbits, container);
  p.St(kResult + 32768, kMiddle);
}

// DRAM to DRAM through the scratchpad: what a store wrote is loaded again.
void LoadWhatWasStored(ProgramBuilder& p, Random& random) {
  p.LoadBytes(static_cast<uint64_t>(random.In(0, 999)), 0, 256);
  p.StoreBytes(kResult, 0, 256);
  p.LoadBytes(kResult + 7, 64, 200);
  p.StoreBytes(kResult + 1000, 0, 300);
}

}  // namespace

std::vector<ContractCase> TransferCases() {
  return {{"LoadUnpacksEveryWidth", UnpackEveryWidth, {}},
          {"LoadFollowsNestsWithAnyStride", LoadNests, {}, 30},
          {"LoadFillsOutsideItsWindows", FillOutsideWindows, {}, 30},
          {"StorePacksEveryWidthAndClearsSpareBits", PackEveryWidth, {}},
          {"StoreFollowsNestsWithAnyStride", StoreNests, {}, 30},
          {"LoadSeesWhatWasStored", LoadWhatWasStored, {}, 3}};
}

}  // namespace bw::contract
