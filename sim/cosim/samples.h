// The samples that a network runs on, and their labels.
#ifndef SIM_COSIM_SAMPLES_H_
#define SIM_COSIM_SAMPLES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/isa/program.h"
#include "models/status/result.h"
#include "models/tensor/tensor.h"

namespace bw::cosim {

// What one input of a network takes.
struct InputSpec {
  std::string name;
  tensor::Shape shape;
};
std::vector<InputSpec> InputSpecsOf(const graph::Graph& graph);
std::vector<InputSpec> InputSpecsOf(const isa::Program& program);

// Samples as they came from the file, turned into what the network takes one at a time, so that
// 10,000 images stay as small as they are on disk. All members are const and safe to share.
class SampleStore {
 public:
  size_t size() const { return samples_; }
  // Where the samples came from: the option's text, or "random (seed 1)".
  const std::string& source() const { return source_; }
  bool random() const { return random_; }
  // Integers that the file holds are taken as quantised already by UsesIntegers; bytes of images
  // are not.
  bool IsInteger(size_t input) const;

  // Input `input` of sample `sample` as float32 in the network's shape. uint8 is taken as an image
  // and divided by 255; all other types keep their values.
  tensor::Tensor Real(size_t sample, size_t input) const;
  // All inputs of a sample, in the network's order.
  std::vector<tensor::Tensor> Reals(size_t sample) const;
  // The values as stored, in the network's shape; the stored type must be an integer.
  std::vector<int32_t> Integers(size_t sample, size_t input) const;

 private:
  friend Result<SampleStore> LoadSamples(const std::string&, const std::vector<InputSpec>&,
                                         const std::string&);
  friend SampleStore RandomSamples(const std::vector<InputSpec>&, size_t, uint64_t);
  std::vector<InputSpec> specs_;
  std::vector<tensor::Tensor> data_;  // by input; first axis = sample, or the input's own shape
  size_t samples_ = 0;
  std::string source_;
  bool random_ = false;
};

// Reads samples: one tensor file (models/tensor/tensor_file.h), an IDX file, or a directory of
// images, whose first axis is the sample; or one sample in exactly the network's shape. Axes of
// extent 1 need not be there. Several inputs: an .npz with an array for each, or a directory with
// NAME.npy for each. `option` names the command-line option in messages.
Result<SampleStore> LoadSamples(const std::string& spec, const std::vector<InputSpec>& inputs,
                                const std::string& option);

// Uniform in [0, 1), multiples of 2^-24; equal for equal seeds on every machine.
SampleStore RandomSamples(const std::vector<InputSpec>& inputs, size_t count, uint64_t seed);

// Class numbers, one a sample: .npy or IDX. Errors: another number of labels than `samples`,
// numbers outside 0..classes-1, no integers.
Result<std::vector<int64_t>> LoadLabels(const std::string& path, size_t samples, int64_t classes);

}  // namespace bw::cosim

#endif  // SIM_COSIM_SAMPLES_H_
