#include "compiler/schedule/tokens.h"

#include <gtest/gtest.h>

#include <map>
#include <utility>
#include <vector>

#include "tests/unit/schedule/random_operations.h"

namespace bw::schedule {
namespace {

using Graph = std::vector<std::vector<bool>>;  // [later][earlier]: earlier retires before later

// What the tokens and the order within queues promise, by counting tokens and transitive closure:
// a second way, without vector clocks. Empty when a wait stands before its post.
Graph HappensBefore(const std::vector<Operation>& ops) {
  Graph before(ops.size(), std::vector<bool>(ops.size(), false));
  std::map<std::pair<int, int>, std::vector<size_t>> posts;
  std::map<std::pair<int, int>, size_t> taken;
  for (size_t i = 0; i < ops.size(); ++i) {
    const int own = static_cast<int>(ops[i].queue());
    std::vector<size_t> direct;
    for (size_t j = i; j-- > 0;) {
      if (static_cast<int>(ops[j].queue()) == own) {
        direct.push_back(j);
        break;
      }
    }
    for (int q = 0; q < isa::kQueues; ++q) {
      if ((ops[i].instruction.wait >> q & 1) == 0) continue;
      const size_t k = taken[{q, own}]++;
      if (k >= posts[{q, own}].size()) return {};
      direct.push_back(posts[{q, own}][k]);
    }
    for (const size_t j : direct) {
      before[i][j] = true;
      for (size_t k = 0; k < j; ++k) before[i][k] = before[i][k] || before[j][k];
    }
    for (int q = 0; q < isa::kQueues; ++q) {
      if (ops[i].instruction.post >> q & 1) posts[{own, q}].push_back(i);
    }
  }
  return before;
}

size_t UncoveredDependences(const std::vector<Operation>& ops, const Graph& before) {
  size_t missing = 0;
  for (size_t i = 0; i < ops.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (Conflict(ops[i], ops[j]) && !before[i][j]) ++missing;
    }
  }
  return missing;
}

TEST(PlaceTokens, OrdersEveryDependenceOfRandomPrograms) {
  size_t tokens = 0;
  for (uint32_t seed = 1; seed <= 60; ++seed) {
    auto ops = RandomOperations(seed, 80, 40 + seed * 4);
    PlaceTokens(ops);
    const Graph before = HappensBefore(ops);
    ASSERT_EQ(before.size(), ops.size()) << "a wait stands before its post, seed " << seed;
    EXPECT_EQ(UncoveredDependences(ops, before), 0u) << "seed " << seed;
    for (const auto& op : ops)
      tokens += static_cast<size_t>(__builtin_popcount(op.instruction.wait));
  }
  EXPECT_GT(tokens, 1000u);
}

TEST(PlaceTokens, PostsAndWaitsBalance) {
  auto ops = RandomOperations(7, 200, 100);
  PlaceTokens(ops);
  std::map<std::pair<int, int>, int> balance;
  for (const auto& op : ops) {
    const int own = static_cast<int>(op.queue());
    for (int q = 0; q < isa::kQueues; ++q) {
      if (op.instruction.post >> q & 1) ++balance[{own, q}];
      if (op.instruction.wait >> q & 1) --balance[{q, own}];
    }
    EXPECT_EQ(op.instruction.post >> own & 1, 0);
    EXPECT_EQ(op.instruction.wait >> own & 1, 0);
  }
  for (const auto& [pair, count] : balance) EXPECT_EQ(count, 0);
}

// Every token is needed: without it and its partner some dependence is open.
TEST(PlaceTokens, KeepsNoImpliedToken) {
  auto ops = RandomOperations(11, 40, 60);
  PlaceTokens(ops);
  size_t tried = 0;
  for (size_t i = 0; i < ops.size(); ++i) {
    for (int q = 0; q < isa::kQueues; ++q) {
      if ((ops[i].instruction.wait >> q & 1) == 0) continue;
      auto cut = ops;
      size_t k = 0;
      const int own = static_cast<int>(ops[i].queue());
      for (size_t j = 0; j < i; ++j) {
        if (static_cast<int>(ops[j].queue()) == own && (ops[j].instruction.wait >> q & 1)) ++k;
      }
      for (size_t j = 0; j < ops.size(); ++j) {
        if (static_cast<int>(ops[j].queue()) != q || !(ops[j].instruction.post >> own & 1))
          continue;
        if (k-- == 0) {
          cut[j].instruction.post = static_cast<uint8_t>(cut[j].instruction.post & ~(1 << own));
          break;
        }
      }
      cut[i].instruction.wait = static_cast<uint8_t>(cut[i].instruction.wait & ~(1 << q));
      const Graph before = HappensBefore(cut);
      ASSERT_EQ(before.size(), cut.size());
      EXPECT_GT(UncoveredDependences(cut, before), 0u) << "operation " << i << " queue " << q;
      ++tried;
    }
  }
  EXPECT_GT(tried, 10u);
}

TEST(PlaceTokens, NoneWithinOneQueueOrBetweenStrangers) {
  std::vector<Operation> ops(3);
  ops[0].writes = {{isa::Memory::kSpm, 0, 16}};
  ops[1].reads = {{isa::Memory::kSpm, 8, 9}};
  ops[2].instruction.queue = isa::Queue::kMac;
  ops[2].reads = {{isa::Memory::kSpm, 16, 32}};
  PlaceTokens(ops);
  for (const auto& op : ops) {
    EXPECT_EQ(op.instruction.wait, 0);
    EXPECT_EQ(op.instruction.post, 0);
  }
}

}  // namespace
}  // namespace bw::schedule
