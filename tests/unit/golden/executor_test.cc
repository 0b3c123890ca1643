#include "models/golden/executor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "tests/unit/golden/builder.h"

namespace bw::golden {
namespace {

using ::testing::ElementsAre;

// y = ((x * 2) clipped to 0..100) + x
IntGraph TwoNodes() {
  IntGraph g;
  g.name = "two";
  const auto x = AddInput(g, {3});
  const auto doubled = AddNode(g, graph::IntRequant{{{{2, 0, 0, 0, 100}}, {}}}, {x}, {3});
  graph::IntAdd add;
  add.requant = Scaled(1, 0);
  AddNode(g, add, {doubled, x}, {3});
  return g;
}

TEST(GoldenExecutor, ShowsEveryNodeInOrderAndCountsPerNode) {
  const IntGraph g = TwoNodes();
  std::vector<std::vector<int32_t>> seen;
  const auto run =
      GoldenExecutor(g).Run({{{3}, {-3, 10, 60}}}, [&](size_t node, const IntTensor& result) {
        EXPECT_EQ(node, seen.size());
        seen.push_back(result.data);
      });
  EXPECT_THAT(seen, ElementsAre(ElementsAre(0, 20, 100), ElementsAre(-3, 30, 127)));
  EXPECT_EQ(run->outputs[0].data, seen[1]);
  EXPECT_EQ(run->counts[0].saturations, 2);
  EXPECT_EQ(run->counts[1].saturations, 1);
}

TEST(GoldenExecutor, ReportsWrongInputs) {
  const IntGraph g = TwoNodes();
  const GoldenExecutor executor(g);
  const auto message = [&](const std::vector<IntTensor>& inputs) {
    const auto run = executor.Run(inputs);
    return run.ok() ? std::string("ok") : run.errors()[0].ToString();
  };
  EXPECT_THAT(message({}), ::testing::HasSubstr("two: 0 input tensors given, the network has 1"));
  EXPECT_THAT(message({{{2}, {1, 2}}}),
              ::testing::HasSubstr("in0: the input has shape 2, the network takes 3"));
  EXPECT_THAT(message({{{3}, {1, 2}}}), ::testing::HasSubstr("in0: the input has shape 3"));
  EXPECT_THAT(message({{{3}, {1, 128, 2}}}),
              ::testing::HasSubstr("in0: the input holds 0..128; allowed is -128..127"));
}

TEST(GoldenExecutor, StopsWhenAResultLeavesItsType) {
  IntGraph g;
  graph::IntLut lut;
  lut.table.assign(256, 300);
  AddNode(g, lut, {AddInput(g, {1})}, {1});
  EXPECT_DEATH(GoldenExecutor(g).Run({{{1}, {0}}}).ok(), "0..300 leave 8 bits");
}

TEST(GoldenExecutor, RunsFromManyThreads) {
  const IntGraph g = TwoNodes();
  const GoldenExecutor executor(g);
  std::vector<std::thread> threads;
  std::vector<int32_t> last(4);
  for (size_t t = 0; t < last.size(); ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) {
        const auto x = static_cast<int32_t>(t);
        last[t] = executor.Run({{{3}, {x, 0, 0}}})->outputs[0].data[0];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(last, ElementsAre(0, 3, 6, 9));
}

}  // namespace
}  // namespace bw::golden
