// One pass of the float network over samples: calibration ranges (METHODS.md A2, `minmax`) and the
// float results that the integer network is measured against.
#ifndef COMPILER_CALIBRATE_FLOAT_PASS_H_
#define COMPILER_CALIBRATE_FLOAT_PASS_H_

#include <cstddef>
#include <functional>
#include <vector>

#include "compiler/calibrate/ranges.h"
#include "compiler/graph/graph.h"
#include "models/status/result.h"
#include "models/tensor/tensor.h"

namespace bw::calibrate {

// The inputs of sample i, in the order of graph.inputs. Called from several threads at once.
using SampleSource = std::function<Result<std::vector<tensor::Tensor>>(size_t)>;

struct FloatPassOptions {
  int threads = 1;
  bool keep_ranges = true;
  bool keep_outputs = true;
  // Called now and then, from one thread at a time, with the number of samples that are done.
  std::function<void(size_t done)> progress;
};

struct FloatPass {
  Ranges ranges;  // smallest and largest value of every activation over all samples
  std::vector<std::vector<tensor::Tensor>> outputs;  // [sample][graph output]
};

// The same result for any number of threads. A sample that is refused ends the pass with its error.
Result<FloatPass> RunFloatPass(const graph::Graph& graph, size_t samples,
                               const SampleSource& source, const FloatPassOptions& options);

}  // namespace bw::calibrate

#endif  // COMPILER_CALIBRATE_FLOAT_PASS_H_
