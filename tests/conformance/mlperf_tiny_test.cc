// Two int8 networks of MLPerf Tiny whose outputs others computed with TensorFlow Lite for
// Microcontrollers: every row, exactly, by the golden model and by the compiled program.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "compiler/frontend/tflite/tflite_import.h"
#include "compiler/lower/lower.h"
#include "compiler/passes/passes.h"
#include "models/golden/executor.h"
#include "models/hwconfig/hw_config.h"
#include "tests/unit/codegen/run_program.h"

namespace bw {
namespace {

std::string DataFolder() {
  const char* set = std::getenv("BITWRIGHT_DATA");
  return std::string(set != nullptr ? set : BW_SOURCE_DIR "/../shared/data") + "/mlperf_tiny";
}

// expected.csv: a header, then NAME and every output value.
struct Row {
  std::string name;
  std::vector<int32_t> values;
};

std::vector<Row> ReadRows(const std::string& path) {
  std::ifstream file(path);
  std::string line, cell;
  std::getline(file, line);
  std::vector<Row> rows;
  while (std::getline(file, line)) {
    std::istringstream cells(line);
    Row row;
    std::getline(cells, row.name, ',');
    while (std::getline(cells, cell, ',')) row.values.push_back(std::stoi(cell));
    if (!row.name.empty()) rows.push_back(std::move(row));
  }
  return rows;
}

// The int8 elements of a file whose axes are those that `value` says, in the value's own order.
golden::IntTensor ReadInput(const std::string& path, const graph::IntValue& value) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  golden::IntTensor made(value.shape);
  EXPECT_EQ(static_cast<int64_t>(bytes.size()), made.elements()) << path;
  const size_t rank = value.shape.dims.size();
  std::vector<int64_t> stride(rank, 1), at(rank, 0);  // by axis of the value; counters of the file
  for (size_t axis = rank - 1; axis > 0; --axis) {
    stride[axis - 1] = stride[axis] * value.shape.dims[axis];
  }
  for (const char byte : bytes) {
    int64_t place = 0;
    for (size_t i = 0; i < rank; ++i) {
      place += at[i] * stride[static_cast<size_t>(value.file_axes[i])];
    }
    made.data[static_cast<size_t>(place)] = static_cast<int8_t>(byte);
    for (size_t i = rank; i-- > 0;) {
      if (++at[i] < value.shape.dims[static_cast<size_t>(value.file_axes[i])]) break;
      at[i] = 0;
    }
  }
  return made;
}

struct Lowered {
  graph::IntGraph graph;
  std::vector<Row> rows;
  std::vector<golden::IntTensor> inputs;  // by row
};

lower::Settings SettingsOf(const char* profile) {
  lower::Settings settings;
  settings.profile = arith::FindProfile(profile);
  settings.rounding = settings.profile->rounding;
  settings.mult_bits = settings.profile->mult_bits;
  return settings;
}

Lowered Load(const std::string& folder, const char* profile) {
  Lowered made;
  auto graph = frontend::ImportTflite(folder + "/model.tflite");
  BW_CHECK(graph.ok(), "{}", ToString(graph.errors()));
  const Status canonical = passes::Canonicalise(*graph);
  BW_CHECK(canonical.ok(), "{}", ToString(canonical.errors()));
  auto lowered = lower::Lower(*graph, {}, SettingsOf(profile));
  BW_CHECK(lowered.ok(), "{}", ToString(lowered.errors()));
  made.graph = *std::move(lowered);
  made.rows = ReadRows(folder + "/expected.csv");
  for (const Row& row : made.rows) {
    made.inputs.push_back(
        ReadInput(folder + "/" + row.name + ".s8", made.graph.value(made.graph.inputs[0])));
  }
  return made;
}

class MlperfTiny : public testing::TestWithParam<const char*> {
 protected:
  std::string folder_ = DataFolder() + "/" + GetParam();
  bool HaveData() const { return std::filesystem::exists(folder_ + "/model.tflite"); }
};

#define BW_SKIP_WITHOUT_DATA() \
  if (!HaveData()) GTEST_SKIP() << folder_ << " is absent: set BITWRIGHT_DATA to have this tested"

TEST_P(MlperfTiny, GoldenGivesEveryRow) {
  BW_SKIP_WITHOUT_DATA();
  const Lowered network = Load(folder_, "tflite_double");
  ASSERT_GE(network.rows.size(), 6u);
  const golden::GoldenExecutor golden(network.graph);
  for (size_t i = 0; i < network.rows.size(); ++i) {
    const auto run = golden.Run({network.inputs[i]});
    ASSERT_TRUE(run.ok()) << ToString(run.errors());
    EXPECT_EQ(run->outputs[0].data, network.rows[i].values) << network.rows[i].name;
  }
}

// The rows tell arithmetics apart: single rounding is not good enough for all of them.
TEST_P(MlperfTiny, SingleRoundingMissesARow) {
  BW_SKIP_WITHOUT_DATA();
  const Lowered network = Load(folder_, "tosa32");
  const golden::GoldenExecutor golden(network.graph);
  int missed = 0;
  for (size_t i = 0; i < network.rows.size(); ++i) {
    const auto run = golden.Run({network.inputs[i]});
    ASSERT_TRUE(run.ok()) << ToString(run.errors());
    missed += run->outputs[0].data != network.rows[i].values;
  }
  EXPECT_GT(missed, 0);
  EXPECT_LT(missed, static_cast<int>(network.rows.size()));
}

TEST_P(MlperfTiny, TheProgramGivesWhatGoldenGives) {
  BW_SKIP_WITHOUT_DATA();
  const Lowered network = Load(folder_, "tflite_double");
  const auto config = hwconfig::LoadHwConfig(
      BW_SOURCE_DIR "/configs/npu/edge.yaml",
      {{"profile", "tflite_double", ""},
       {"ppu.mult_bits", "31", ""},
       {"ppu.modes", "[floor, truncate, half_up, half_away, half_even, double]", ""}});
  ASSERT_TRUE(config.ok()) << ToString(config.errors());
  for (const golden::IntTensor& input : network.inputs) {
    const codegen::RunReport report =
        codegen::RunAndCompare(network.graph, *config, {}, std::vector<golden::IntTensor>{input});
    ASSERT_EQ(report.compile_error, "");
    ASSERT_EQ(report.problem, "");
    EXPECT_GT(report.elements, 50000);
  }
}

INSTANTIATE_TEST_SUITE_P(Networks, MlperfTiny, testing::Values("resnet8_cifar10", "kws_dscnn"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace bw
