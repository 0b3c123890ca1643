// The tensors at the edges of a network: reals to integers, integers to the machine's DRAM and
// back.
#ifndef SIM_COSIM_NETWORK_IO_H_
#define SIM_COSIM_NETWORK_IO_H_

#include <string>
#include <vector>

#include "compiler/graph/int_graph.h"
#include "compiler/isa/program.h"
#include "models/arith/profile.h"
#include "models/golden/int_tensor.h"
#include "models/status/result.h"
#include "models/tensor/tensor.h"
#include "sim/cosim/samples.h"

namespace bw::cosim {

// How the reals of one input become integers: NUMERICS.md section 5.
struct InputFormat {
  tensor::Shape shape;
  double scale = 1;
  int64_t zero_point = 0;
  arith::ClipRange clip{-127, 127};
};
std::vector<InputFormat> InputFormatsOf(const graph::IntGraph& graph, arith::ClipKind clip);
std::vector<InputFormat> InputFormatsOf(const isa::Program& program, arith::ClipKind clip);

golden::IntTensor Quantise(const tensor::Tensor& real, const InputFormat& format);
std::vector<golden::IntTensor> QuantiseSample(const SampleStore& samples, size_t sample,
                                              const std::vector<InputFormat>& formats);

// (q - zero point) * scale.
std::vector<double> Dequantise(const golden::IntTensor& values, double scale, int64_t zero_point);

void WriteToDram(const isa::IoTensor& io, const golden::IntTensor& values, uint8_t* dram);
golden::IntTensor ReadFromDram(const isa::IoTensor& io, const uint8_t* dram);

// int8, int16 or int32 by width, signed or not; first axis = sample.
tensor::Tensor Stacked(const std::vector<golden::IntTensor>& samples, int bits, bool is_signed);
// The same for float32 reference results.
tensor::Tensor Stacked(const std::vector<tensor::Tensor>& samples);

// A tensor's name as a file name: everything but letters, digits, '_', '-' and '.' becomes '_'.
std::string FileName(const std::string& tensor_name);

// Index of the largest element, the first one of equals.
template <typename T>
int64_t ArgMax(const std::vector<T>& values) {
  size_t best = 0;
  for (size_t i = 1; i < values.size(); ++i) {
    if (values[i] > values[best]) best = i;
  }
  return static_cast<int64_t>(best);
}

}  // namespace bw::cosim

#endif  // SIM_COSIM_NETWORK_IO_H_
