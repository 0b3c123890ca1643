#include "sim/sysc/transfer_walker.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace bw::sysc {
namespace {

struct Element {
  int64_t dram = 0, local = 0;
  bool inside = false;
  bool operator==(const Element& o) const {
    return local == o.local && inside == o.inside && (!inside || dram == o.dram);
  }
};

// One element after the other, from the text of isa.def.
std::vector<Element> AllElements(const isa::TransferDescriptor& t) {
  std::vector<Element> all;
  std::array<int64_t, isa::kCounters> c{};
  for (int64_t n = 0; n < t.Elements(); ++n) {
    Element element{static_cast<int64_t>(t.dram_bit), static_cast<int64_t>(t.local_bit), true};
    int64_t rest = n;
    for (size_t i = 0; i < isa::kCounters; ++i) {
      c[i] = rest % t.count[i];
      rest /= t.count[i];
      element.dram += c[i] * t.dram_stride[i];
      element.local += c[i] * t.local_stride[i];
      element.inside &= c[i] >= t.lo[i] && c[i] < t.hi[i];
    }
    all.push_back(element);
  }
  return all;
}

TEST(TransferWalker, StretchesCoverEveryElementOnceInOrder) {
  std::mt19937 rng(3);
  const auto below = [&](uint32_t n) { return static_cast<int64_t>(rng() % n); };
  for (int round = 0; round < 300; ++round) {
    isa::TransferDescriptor t;
    t.dram_bit = 100000;
    t.local_bit = 50000;
    for (size_t i = 0; i < isa::kCounters; ++i) {
      t.count[i] = 1 + below(4);
      t.dram_stride[i] = below(200) - 100;
      t.local_stride[i] = below(200) - 100;
      t.lo[i] = below(3) == 0 ? below(static_cast<uint32_t>(t.count[i]) + 1) : 0;
      t.hi[i] = below(3) == 0 ? t.lo[i] : t.count[i];
    }
    std::vector<Element> walked;
    TransferWalker walker(t);
    while (!walker.done()) {
      const int64_t part = 1 + below(static_cast<uint32_t>(walker.Stretch()));
      for (int64_t i = 0; i < part; ++i) {
        walked.push_back({walker.dram_bit() + i * t.dram_stride[0],
                          walker.local_bit() + i * t.local_stride[0], walker.Inside()});
      }
      walker.Advance(part);
    }
    ASSERT_EQ(walked, AllElements(t)) << "round " << round;
  }
}

}  // namespace
}  // namespace bw::sysc
