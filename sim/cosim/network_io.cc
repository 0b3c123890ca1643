#include "sim/cosim/network_io.h"

#include <algorithm>
#include <cctype>

#include "models/arith/quantise.h"
#include "models/machine/placement.h"
#include "models/status/check.h"

namespace bw::cosim {
namespace {

using golden::IntTensor;
using tensor::DType;

DType TypeFor(int bits, bool is_signed) {
  if (bits <= 8) return is_signed ? DType::kI8 : DType::kU8;
  if (bits <= 16) return is_signed ? DType::kI16 : DType::kU16;
  return DType::kI32;
}

tensor::Shape WithSamples(size_t samples, const tensor::Shape& shape) {
  std::vector<int64_t> dims = shape.dims;
  dims.insert(dims.begin(), static_cast<int64_t>(samples));
  return tensor::Shape(std::move(dims));
}

}  // namespace

std::vector<InputFormat> InputFormatsOf(const graph::IntGraph& graph, arith::ClipKind clip) {
  std::vector<InputFormat> formats;
  for (const graph::IntValueId id : graph.inputs) {
    const graph::IntValue& value = graph.value(id);
    formats.push_back({value.shape, value.scale, value.zero_point,
                       arith::RangeOf(clip, value.bits, value.is_signed)});
  }
  return formats;
}

std::vector<InputFormat> InputFormatsOf(const isa::Program& program, arith::ClipKind clip) {
  std::vector<InputFormat> formats;
  for (const isa::IoTensor& io : program.inputs) {
    formats.push_back(
        {io.shape, io.scale, io.zero_point, arith::RangeOf(clip, io.bits, io.is_signed)});
  }
  return formats;
}

IntTensor Quantise(const tensor::Tensor& real, const InputFormat& format) {
  IntTensor out(format.shape);
  const float* values = real.data<float>();
  for (size_t i = 0; i < out.data.size(); ++i) {
    out.data[i] = static_cast<int32_t>(arith::QuantiseReal(static_cast<double>(values[i]),
                                                           format.scale, format.zero_point,
                                                           format.clip.lo, format.clip.hi));
  }
  return out;
}

std::vector<IntTensor> QuantiseSample(const SampleStore& samples, size_t sample,
                                      const std::vector<InputFormat>& formats) {
  std::vector<IntTensor> inputs;
  for (size_t i = 0; i < formats.size(); ++i) {
    inputs.push_back(Quantise(samples.Real(sample, i), formats[i]));
  }
  return inputs;
}

std::vector<double> Dequantise(const IntTensor& values, double scale, int64_t zero_point) {
  std::vector<double> reals;
  reals.reserve(values.data.size());
  for (const int32_t q : values.data) reals.push_back(arith::Dequantise(q, scale, zero_point));
  return reals;
}

void WriteToDram(const isa::IoTensor& io, const IntTensor& values, uint8_t* dram) {
  BW_CHECK(values.elements() == io.shape.Elements(), "{}: {} into {}", io.name,
           values.shape.ToString(), io.shape.ToString());
  machine::WriteTensor(values.data.data(), io.shape, io.placement, dram);
}

IntTensor ReadFromDram(const isa::IoTensor& io, const uint8_t* dram) {
  IntTensor values(io.shape);
  machine::ReadTensor(dram, io.shape, io.placement, values.data.data());
  return values;
}

tensor::Tensor Stacked(const std::vector<IntTensor>& samples, int bits, bool is_signed) {
  BW_CHECK(!samples.empty(), "no samples, {} bits", bits);
  tensor::Tensor all(TypeFor(bits, is_signed), WithSamples(samples.size(), samples[0].shape));
  tensor::VisitDType(all.dtype(), [&](auto zero) {
    using T = decltype(zero);
    T* out = all.data<T>();
    for (const IntTensor& sample : samples) {
      for (const int32_t v : sample.data) *out++ = static_cast<T>(v);
    }
  });
  return all;
}

tensor::Tensor Stacked(const std::vector<tensor::Tensor>& samples) {
  BW_CHECK(!samples.empty(), "no samples, {} bits", 32);
  tensor::Tensor all(samples[0].dtype(), WithSamples(samples.size(), samples[0].shape()));
  uint8_t* out = all.bytes();
  for (const tensor::Tensor& sample : samples) {
    out = std::copy_n(sample.bytes(), sample.byte_size(), out);
  }
  return all;
}

std::string FileName(const std::string& tensor_name) {
  std::string name = tensor_name;
  for (char& c : name) {
    const bool keep =
        std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == '.';
    if (!keep) c = '_';
  }
  if (name.empty() || name[0] == '.') name.insert(name.begin(), '_');
  return name;
}

}  // namespace bw::cosim
