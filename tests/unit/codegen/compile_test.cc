// What a compiled program promises beside its values: errors, warnings, determinism, names.
#include "compiler/codegen/compile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/codegen/network.h"
#include "tests/unit/codegen/run_program.h"

namespace bw::codegen {
namespace {

using testing::HasSubstr;

TEST(Compile, SameGraphGivesTheSameBytes) {
  const auto compile = [] {
    Network net(3);
    const auto x = net.Conv(net.Input({1, 3, 14, 14}), {});
    net.Output(net.Add(net.Conv(x, Depthwise(8)), x));
    return isa::SerialiseProgram(Compile(net.graph(), {}).value());
  };
  EXPECT_EQ(compile(), compile());
}

TEST(Compile, ProgramSurvivesFileAndText) {
  Network net(4);
  net.Output(
      net.Softmax(net.MatMul(net.Reshape(net.Conv(net.Input({1, 3, 5, 5}), {}), {1, 200}), 10)));
  hwconfig::HwConfig config;
  config.name = "test";
  const isa::Program program = Compile(net.graph(), config).value();
  const std::vector<uint8_t> bytes = isa::SerialiseProgram(program);
  const auto parsed = isa::ParseProgram(bytes, "test.bwp");
  ASSERT_TRUE(parsed.ok()) << ToString(parsed.errors());
  EXPECT_EQ(isa::SerialiseProgram(*parsed), bytes);
  const auto assembled = isa::Assemble(isa::Disassemble(program), "test.asm");
  ASSERT_TRUE(assembled.ok()) << ToString(assembled.errors());
  EXPECT_EQ(isa::SerialiseProgram(*assembled), bytes);
}

TEST(Compile, LayersAreTheNodesInOrder) {
  Network net(5);
  net.Output(net.Reshape(net.Conv(net.Input({1, 4, 6, 6}), Pointwise(3)), {1, 108}));
  const isa::Program program = Compile(net.graph(), {}).value();
  ASSERT_EQ(program.layers.size(), 2u);
  EXPECT_EQ(program.layers[0].name, "n0_Conv");
  EXPECT_EQ(program.layers[0].macs, 4u * 3 * 36);
  EXPECT_EQ(program.layers[1].shape, (tensor::Shape{1, 108}));
}

TEST(Compile, ResidentActivationsNeverTouchDram) {
  Network net(6);
  auto x = net.Conv(net.Input({1, 3, 16, 16}), {});
  for (int i = 0; i < 4; ++i) x = net.Conv(x, {});
  net.Output(x);
  const isa::Program program = Compile(net.graph(), {}).value();
  size_t stores = 0;
  for (const isa::Word& word : program.code) {
    if (isa::Decode(word)->opcode != isa::Opcode::kSt) continue;
    ++stores;
  }
  const uint64_t layer = program.layers.size() - 1;
  for (size_t i = 0; i < program.code.size(); ++i) {
    if (isa::Decode(program.code[i])->opcode == isa::Opcode::kSt) {
      EXPECT_EQ(program.info[i].layer, layer) << "only the output is stored";
    }
  }
  EXPECT_GT(stores, 0u);
}

TEST(Compile, ScratchpadTooSmallNamesLayerAndKey) {
  Network net(7);
  net.Output(net.MatMul(net.Input({1, 4}), 3));
  net.Output(net.GlobalPool(net.Input({1, 1, 60, 60})));
  hwconfig::HwConfig config;
  config.spm_bytes = 1024;
  const auto program = Compile(net.graph(), config);
  ASSERT_FALSE(program.ok());
  EXPECT_THAT(ToString(program.errors()), HasSubstr("n1_SumPool: the smallest tile needs "));
  EXPECT_THAT(ToString(program.errors()), HasSubstr("(raise spm.bytes)"));
}

TEST(Compile, DramTooSmallNamesBothSizes) {
  Network net(8);
  net.Output(net.MatMul(net.Input({1, 1000}), 100));
  hwconfig::HwConfig config;
  config.dram_bytes = 65536;
  const auto program = Compile(net.graph(), config);
  ASSERT_FALSE(program.ok());
  EXPECT_THAT(ToString(program.errors()), HasSubstr("and there are 65536 (raise dram.bytes)"));
}

TEST(Compile, UnsupportedOperandsAreAllNamed) {
  Network net(9, 12);
  net.Output(net.Lut(net.Input({4, 4}), 1024, true));
  const auto program = Compile(net.graph(), {});  // 8-bit activations, 256 segments
  ASSERT_FALSE(program.ok());
  EXPECT_THAT(ToString(program.errors()), HasSubstr("raise lut.segments"));
  EXPECT_THAT(ToString(program.errors()), HasSubstr("has 12 bits; the datapath takes 8"));
}

TEST(Compile, InputsAndOutputsKeepWhatFilesNeed) {
  Network net(12);
  net.Output(net.Conv(net.Input({1, 3, 4, 4}), {}));
  graph::IntGraph& graph = net.mutable_graph();
  graph.value(graph.inputs[0]).file_axes = {0, 2, 3, 1};
  graph.value(graph.inputs[0]).ties_to_even = true;
  graph.value(graph.inputs[0]).file_integers = true;
  graph.value(graph.outputs[0]).file_axes = {0, 3, 1, 2};
  const auto program = Compile(graph, hwconfig::HwConfig());
  ASSERT_TRUE(program.ok()) << ToString(program.errors());
  EXPECT_EQ(program->inputs[0].file_axes, (std::vector<int>{0, 2, 3, 1}));
  EXPECT_TRUE(program->inputs[0].ties_to_even);
  EXPECT_TRUE(program->inputs[0].file_integers);
  EXPECT_EQ(program->outputs[0].file_axes, (std::vector<int>{0, 3, 1, 2}));
  EXPECT_FALSE(program->outputs[0].file_integers);
}

TEST(Compile, MissingRoundingModeIsAnError) {
  Network net(10);
  net.Output(net.Requant(net.Input({4, 4}), false, false));
  net.mutable_graph().nodes[0].rounding = arith::Rounding::kHalfEven;
  hwconfig::HwConfig config;
  config.ppu_modes = {arith::Rounding::kHalfUp};
  const auto program = Compile(net.graph(), config);
  ASSERT_FALSE(program.ok());
  EXPECT_THAT(ToString(program.errors()), HasSubstr("n0_Requant: rounds half_even"));
}

TEST(Compile, ArithmeticThatTheHardwareLacksIsAnError) {
  Network net(13);
  net.SetZeroPoints(true);
  net.Output(net.Conv(net.Input({1, 3, 4, 4}), {}));
  graph::IntGraph& graph = net.mutable_graph();
  graph.acc_bits = 40;
  graph.profile = "fp32_even";
  graph.value(0).zero_point = 3;
  auto& entries = std::get<graph::IntConv>(graph.nodes[0].params).requant.entries;
  entries[0].m = 1 << 16, entries[0].s = 63;
  hwconfig::HwConfig config;
  config.weight_bits = 4;
  config.ppu_zero_point = false;
  const auto program = Compile(graph, config);
  ASSERT_FALSE(program.ok());
  const std::string errors = ToString(program.errors());
  for (const char* part :
       {"made for accumulators of 40 bits; the hardware's have 32",
        "profile fp32_even scales in floating point",
        "n0_Conv: multiplier 65536 does not fit ppu.mult_bits = 16",
        "n0_Conv: shifts up to 63 to the right and 0 to the left; the hardware's reach 62 and 15",
        "have 8 bits; the datapath takes 4", "has zero point 3"}) {
    EXPECT_THAT(errors, HasSubstr(part));
  }
}

TEST(Compile, WarnsWhereAccumulatorsCanOverflow) {
  Network net(11);
  net.Output(net.MatMul(net.Input({1, 8}), 4, false));
  hwconfig::HwConfig config;
  config.acc_bits = net.mutable_graph().acc_bits = 16;
  auto& weights = net.mutable_graph().value(1).constant;
  weights.assign(weights.size(), 31);  // 8 * 31 * 128 = 31744: just inside
  EXPECT_TRUE(Compile(net.graph(), config).value().warnings.empty());
  weights[5] = -64;  // column 1: (7 * 31 + 64) * 128 = 35968
  const isa::Program program = Compile(net.graph(), config).value();
  ASSERT_EQ(program.warnings.size(), 1u);
  EXPECT_THAT(program.warnings[0], HasSubstr("n0_MatMul: accumulators can reach 35968"));
}

TEST(Compile, AccumulatorsWrapAlikeWhenTheyOverflow) {
  Network net(12);
  net.Output(net.Conv(net.Input({1, 16, 6, 6}), {}));
  net.mutable_graph().acc_bits = 16;
  hwconfig::HwConfig config;
  config.acc_bits = 16;
  const RunReport report = RunAndCompare(net.graph(), config, {}, 1);
  EXPECT_EQ(report.problem, "");
  EXPECT_FALSE(report.program.warnings.empty());
}

}  // namespace
}  // namespace bw::codegen
