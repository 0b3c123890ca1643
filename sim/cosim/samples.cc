#include "sim/cosim/samples.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "models/tensor/idx.h"
#include "models/tensor/tensor_file.h"

namespace bw::cosim {
namespace {

using tensor::DType;
using tensor::Shape;
using tensor::Tensor;

std::vector<int64_t> WithoutOnes(std::vector<int64_t> dims) {
  dims.erase(std::remove(dims.begin(), dims.end(), 1), dims.end());
  return dims;
}

// Samples in data of shape `data` for an input of shape `wanted`; 0 when they do not fit.
size_t SamplesIn(const Shape& data, const Shape& wanted) {
  if (data == wanted) return 1;
  if (data.rank() > 0) {
    const std::vector<int64_t> rest(data.dims.begin() + 1, data.dims.end());
    if (WithoutOnes(rest) == WithoutOnes(wanted.dims)) return static_cast<size_t>(data[0]);
  }
  return WithoutOnes(data.dims) == WithoutOnes(wanted.dims) ? 1 : 0;
}

bool EndsWith(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

bool IsDirectory(const std::string& path) {
  struct stat status = {};
  return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

Result<Tensor> ReadOne(const std::string& spec) {
  if (tensor::IsIdxName(spec)) return tensor::ReadIdx(spec);
  return tensor::ReadTensorInput(spec);
}

Error InputError(const std::string& file, const std::string& place, std::string message,
                 std::string hint) {
  return Error{file, 0, 0, place, std::move(message), std::move(hint)};
}

// One tensor for each input, from an archive or a directory.
Result<std::vector<Tensor>> ReadSeveral(const std::string& spec,
                                        const std::vector<InputSpec>& inputs,
                                        const std::string& option) {
  std::vector<Tensor> found;
  if (IsDirectory(spec)) {
    for (const InputSpec& input : inputs) {
      BW_ASSIGN_OR_RETURN(Tensor one, tensor::ReadTensorFile(spec + "/" + input.name + ".npy"));
      found.push_back(std::move(one));
    }
    return found;
  }
  if (!EndsWith(spec, ".npz")) {
    return InputError(spec, option, fmt::format("the network has {} inputs", inputs.size()),
                      "give an .npz with one array for each input, or a directory of NAME.npy");
  }
  BW_ASSIGN_OR_RETURN(std::vector<tensor::NamedTensor> arrays, tensor::ReadNpz(spec));
  for (const InputSpec& input : inputs) {
    const auto at = std::find_if(arrays.begin(), arrays.end(),
                                 [&](const auto& array) { return array.name == input.name; });
    if (at == arrays.end()) {
      return InputError(spec, option, fmt::format("no array is named '{}'", input.name),
                        "give one array for each input of the network");
    }
    found.push_back(at->tensor);
  }
  return found;
}

uint64_t Mix(uint64_t x) {  // splitmix64
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

}  // namespace

std::vector<InputSpec> InputSpecsOf(const graph::Graph& graph) {
  std::vector<InputSpec> specs;
  for (const graph::ValueId id : graph.inputs) {
    specs.push_back({graph.value(id).name, graph.value(id).shape});
  }
  return specs;
}

std::vector<InputSpec> InputSpecsOf(const isa::Program& program) {
  std::vector<InputSpec> specs;
  for (const isa::IoTensor& input : program.inputs) specs.push_back({input.name, input.shape});
  return specs;
}

bool SampleStore::IsInteger(size_t input) const {
  return !tensor::IsFloat(data_.at(input).dtype());
}

Tensor SampleStore::Real(size_t sample, size_t input) const {
  const Tensor& data = data_.at(input);
  Tensor result(DType::kF32, specs_.at(input).shape);
  const int64_t n = result.elements();
  float* out = result.data<float>();
  tensor::VisitDType(data.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* from = data.data<T>() + static_cast<int64_t>(sample) * n;
    const float divisor = std::is_same_v<T, uint8_t> ? 255.0F : 1.0F;
    for (int64_t i = 0; i < n; ++i) out[i] = static_cast<float>(from[i]) / divisor;
  });
  return result;
}

std::vector<Tensor> SampleStore::Reals(size_t sample) const {
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < specs_.size(); ++i) inputs.push_back(Real(sample, i));
  return inputs;
}

std::vector<int32_t> SampleStore::Integers(size_t sample, size_t input) const {
  const Tensor& data = data_.at(input);
  const int64_t n = specs_.at(input).shape.Elements();
  std::vector<int32_t> out(static_cast<size_t>(n));
  tensor::VisitDType(data.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* from = data.data<T>() + static_cast<int64_t>(sample) * n;
    for (size_t i = 0; i < out.size(); ++i) out[i] = static_cast<int32_t>(from[i]);
  });
  return out;
}

Result<SampleStore> LoadSamples(const std::string& spec, const std::vector<InputSpec>& inputs,
                                const std::string& option) {
  SampleStore store;
  store.specs_ = inputs;
  store.source_ = spec;
  if (inputs.size() == 1) {
    BW_ASSIGN_OR_RETURN(Tensor one, ReadOne(spec));
    store.data_.push_back(std::move(one));
  } else {
    BW_ASSIGN_OR_RETURN(store.data_, ReadSeveral(spec, inputs, option));
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Shape& shape = store.data_[i].shape();
    const size_t samples = SamplesIn(shape, inputs[i].shape);
    if (samples == 0 || shape.Elements() == 0) {
      return InputError(spec, option,
                        fmt::format("shape {} does not fit input '{}', which takes {}",
                                    shape.ToString(), inputs[i].name, inputs[i].shape.ToString()),
                        "the first axis is the sample; bind open extents with --shape");
    }
    if (i > 0 && samples != store.samples_) {
      return InputError(spec, option,
                        fmt::format("{} samples for input '{}', {} for input '{}'", samples,
                                    inputs[i].name, store.samples_, inputs[0].name),
                        "give as many for each");
    }
    store.samples_ = samples;
  }
  return store;
}

SampleStore RandomSamples(const std::vector<InputSpec>& inputs, size_t count, uint64_t seed) {
  SampleStore store;
  store.specs_ = inputs;
  store.samples_ = count;
  store.random_ = true;
  store.source_ = fmt::format("random (seed {})", seed);
  for (size_t i = 0; i < inputs.size(); ++i) {
    std::vector<int64_t> dims = inputs[i].shape.dims;
    dims.insert(dims.begin(), static_cast<int64_t>(count));
    Tensor data(DType::kF32, Shape(std::move(dims)));
    const uint64_t stream = Mix(seed ^ Mix(i));
    float* out = data.data<float>();
    for (int64_t k = 0; k < data.elements(); ++k) {
      const uint64_t bits = Mix(stream + static_cast<uint64_t>(k)) >> 40;
      out[k] = static_cast<float>(bits) * 0x1p-24F;
    }
    store.data_.push_back(std::move(data));
  }
  return store;
}

Result<std::vector<int64_t>> LoadLabels(const std::string& path, size_t samples, int64_t classes) {
  BW_ASSIGN_OR_RETURN(const Tensor tensor, ReadOne(path));
  const auto fail = [&path](std::string message, std::string hint) {
    return InputError(path, "--labels", std::move(message), std::move(hint));
  };
  if (tensor::IsFloat(tensor.dtype())) {
    return fail(fmt::format("labels are {}", tensor::DTypeName(tensor.dtype())),
                "give integers, one class number a sample");
  }
  if (tensor.elements() != static_cast<int64_t>(samples)) {
    return fail(fmt::format("{} labels for {} samples", tensor.elements(), samples),
                "give one class number a sample");
  }
  std::vector<int64_t> labels = tensor.ToI64();
  for (size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] >= 0 && labels[i] < classes) continue;
    return fail(fmt::format("label {} of sample {}; allowed is 0..{}", labels[i], i, classes - 1),
                "");
  }
  return labels;
}

}  // namespace bw::cosim
