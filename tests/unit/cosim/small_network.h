// A compiled network of all kinds of layers, small enough to run in milliseconds.
#ifndef TESTS_UNIT_COSIM_SMALL_NETWORK_H_
#define TESTS_UNIT_COSIM_SMALL_NETWORK_H_

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "compiler/codegen/compile.h"
#include "models/golden/int_tensor.h"
#include "models/hwconfig/hw_config.h"
#include "tests/unit/codegen/network.h"

namespace bw::cosim {

inline graph::IntGraph AllKinds() {
  codegen::Network net(7);
  const auto x = net.Input({1, 3, 8, 8});
  const auto conv = net.Conv(x, {});
  const auto depthwise = net.Conv(conv, codegen::Depthwise(8));
  const auto sum = net.Add(depthwise, conv);
  const auto gate = net.Lut(net.GlobalPool(sum));
  const auto product = net.Mul(sum, gate);
  const auto leaky = net.Requant(product, true, true);
  const auto pooled = net.Pool(net.Pad(leaky, {0, 0, 1, 1}, {0, 0, 1, 1}), {});
  const auto sliced = net.Slice(pooled, {0, 0, 0, 1}, {1, 1, 2, 1}, {1, 8, 3, 4});
  const auto joined = net.Concat({sliced, sliced}, 1);
  const auto turned = net.Transpose(joined, {0, 2, 3, 1});
  net.Output(net.Softmax(net.MatMul(net.Reshape(turned, {1, 192}), 10)));
  return net.graph();
}

inline hwconfig::HwConfig Tiny() {
  return hwconfig::LoadHwConfig(std::string(BW_SOURCE_DIR) + "/configs/npu/tiny.yaml").value();
}

inline isa::Program Compiled(const graph::IntGraph& ints) {
  auto program = codegen::Compile(ints, Tiny());
  EXPECT_TRUE(program.ok()) << (program.ok() ? "" : ToString(program.errors()));
  return std::move(program).value();
}

// Inputs of sample `sample`, over the whole range of their types.
inline std::vector<golden::IntTensor> RandomInputs(const graph::IntGraph& ints, size_t sample) {
  std::mt19937 rng(static_cast<uint32_t>(sample) + 1);
  std::vector<golden::IntTensor> inputs;
  for (const graph::IntValueId id : ints.inputs) {
    const graph::IntValue& value = ints.value(id);
    const int64_t low = value.is_signed ? -(int64_t{1} << (value.bits - 1)) : 0;
    inputs.emplace_back(value.shape);
    for (int32_t& v : inputs.back().data) {
      v = static_cast<int32_t>(low + static_cast<int64_t>(rng() % (1U << value.bits)));
    }
  }
  return inputs;
}

}  // namespace bw::cosim

#endif  // TESTS_UNIT_COSIM_SMALL_NETWORK_H_
