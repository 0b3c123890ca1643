#include "sim/cli/network_options.h"

#include <cstdlib>
#include <filesystem>

#include "sim/cli/console.h"

namespace bw::cli {

std::string ShippedFile(const std::string& relative) {
  const char* folder = std::getenv("BITWRIGHT_SOURCE_DIR");
  const std::string path = std::string(folder != nullptr ? folder : BW_SOURCE_DIR) + "/" + relative;
  std::error_code ignored;
  return std::filesystem::exists(path, ignored) ? path : "";
}

void AddNetworkOptions(CLI::App& command, cosim::PrepareOptions* options) {
  options->threads = Cores();
  options->npu = ShippedFile("configs/npu/edge.yaml");
  options->quant = ShippedFile("configs/quant/int8.yaml");
  command.add_option("MODEL", options->model, "Float network, .onnx")->required();
  CLI::Option* npu = command.add_option("--npu", options->npu, "Hardware (default: edge)");
  CLI::Option* quant = command.add_option("--quant", options->quant, "Recipe (default: int8)");
  if (options->npu.empty()) npu->required();
  if (options->quant.empty()) quant->required();
  command.add_option("--calib", options->calib,
                     "Samples that calibrate (default: those of --input)");
  command.add_option("--input", options->input,
                     "Samples: .npy, .npz, raw with a shape (x.f32:8x1x28x28), IDX, images or a "
                     "folder of them; the first axis is the sample, bytes are divided by 255 "
                     "(default: random)");
  command
      .add_option("--set", options->sets, "KEY=VALUE: override a hardware parameter or recipe key")
      ->take_all();
  command.add_option("--shape", options->shapes, "[INPUT=]AxBxC: bind open extents of an input")
      ->take_all();
  command.add_option("--layers", options->layers,
                     "A..B: compile only these layers (names or numbers)");
  command.add_option("--seed", options->seed, "Seed of random samples")->capture_default_str();
  command.add_option("--threads", options->threads, "Threads of float and golden runs")
      ->check(CLI::Range(1, 256));
}

}  // namespace bw::cli
