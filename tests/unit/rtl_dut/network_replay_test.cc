// All PPU traffic of the demo network on the SystemC machine, through the RTL alone.
#include <gtest/gtest.h>

#include <cstdio>
#include <memory>

#include "compiler/calibrate/float_pass.h"
#include "compiler/codegen/compile.h"
#include "compiler/frontend/onnx/onnx_import.h"
#include "compiler/lower/lower.h"
#include "compiler/passes/passes.h"
#include "models/tensor/tensor_file.h"
#include "sim/ppu/native_core.h"
#include "sim/rtl_dut/rtl_replay.h"
#include "sim/sysc/systemc_executor.h"
#include "tests/unit/rtl_dut/rtl_bench.h"

namespace bw::rtl_dut {
namespace {

const std::string kZoo = std::string(BW_SOURCE_DIR) + "/models/zoo/";

// Sample i of the embedded test images, bytes to 0..1.
Result<std::vector<tensor::Tensor>> Image(size_t i) {
  BW_ASSIGN_OR_RETURN(const tensor::Tensor images,
                      tensor::ReadTensorInput(kZoo + "fashion_se_images.npy"));
  tensor::Tensor image(tensor::DType::kF32, tensor::Shape{1, 1, 28, 28});
  const uint8_t* pixel = images.data<uint8_t>() + i * 784;
  for (size_t k = 0; k < 784; ++k) image.data<float>()[k] = static_cast<float>(pixel[k]) / 255;
  return std::vector<tensor::Tensor>{image};
}

Result<isa::Program> DemoProgram(const hwconfig::HwConfig& config) {
  BW_ASSIGN_OR_RETURN(graph::Graph graph, frontend::ImportOnnx(kZoo + "fashion_se.onnx", {}));
  BW_RETURN_IF_ERROR(passes::Canonicalise(graph));
  BW_ASSIGN_OR_RETURN(const calibrate::FloatPass pass,
                      calibrate::RunFloatPass(graph, 2, Image, {}));
  BW_ASSIGN_OR_RETURN(const graph::IntGraph ints, lower::Lower(graph, pass.ranges, {}));
  return codegen::Compile(ints, config);
}

TEST(NetworkReplay, EveryResultOfTheDemoNetworkIsTheRtls) {
  const hwconfig::HwConfig config = TestConfig({});
  BW_MODEL_OR_SKIP(model, config);
  const isa::Program program = DemoProgram(config).value();
  RtlReplay replay(*model);
  sysc::SystemcOptions options;
  options.ppu_core = [&replay](const hwconfig::HwConfig& hw) -> std::unique_ptr<ppu::PpuCore> {
    return std::make_unique<ppu::PpuTrafficRecorder>(std::make_unique<ppu::NativeCore>(hw), replay);
  };
  sysc::SystemcExecutor machine(config, std::move(options));
  ASSERT_TRUE(machine.Load(program).ok());
  for (uint64_t i = 0; i < program.dram_bytes_used && i < 64; ++i) {
    machine.dram()[program.inputs[0].placement.base_bit / 8 + i] = static_cast<uint8_t>(i);
  }
  ASSERT_TRUE(machine.Run(nullptr).ok());
  const ReplayCounts& counts = replay.Finish();
  std::printf("%llu beats, %llu results compared\n", static_cast<unsigned long long>(counts.beats),
              static_cast<unsigned long long>(counts.compared));
  EXPECT_GT(counts.compared, 90000u);
  EXPECT_EQ(counts.mismatches, 0u) << counts.first_mismatch;
}

}  // namespace
}  // namespace bw::rtl_dut
