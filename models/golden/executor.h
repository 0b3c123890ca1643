// Evaluates the integer graph on plain tensors: no layout, no tiles, no time. Its results are the
// truth that every other executor is compared with.
#ifndef MODELS_GOLDEN_EXECUTOR_H_
#define MODELS_GOLDEN_EXECUTOR_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "compiler/graph/int_graph.h"
#include "models/golden/int_tensor.h"
#include "models/status/result.h"

namespace bw::golden {

class NodeKernel;

// Events of one node in one run.
struct NodeCounts {
  int64_t overflows = 0;    // final accumulator sums that left acc_bits (and so wrapped)
  int64_t saturations = 0;  // results that the clip of the requantisation changed
};

struct GoldenRun {
  std::vector<IntTensor> outputs;  // in the order of graph.outputs
  std::vector<NodeCounts> counts;  // by node
};

// Convolutions and matrix products either by their definition, one multiply at a time, or by fast
// kernels that compute the same numbers.
enum class Kernels { kFast, kDirect };

// Called with the index and the result of every node, in order.
using Observer = std::function<void(size_t node, const IntTensor& result)>;

// The graph must have passed graph::Verify and must outlive the executor. Run is const and keeps no
// state: any number of threads may run samples at once.
class GoldenExecutor {
 public:
  explicit GoldenExecutor(const graph::IntGraph& graph, Kernels kernels = Kernels::kFast);
  ~GoldenExecutor();
  GoldenExecutor(const GoldenExecutor&) = delete;
  GoldenExecutor& operator=(const GoldenExecutor&) = delete;

  // `inputs` in the order of graph.inputs. Errors: another number of inputs, another shape, or a
  // value outside the type of the input.
  Result<GoldenRun> Run(const std::vector<IntTensor>& inputs,
                        const Observer& observer = nullptr) const;

 private:
  Status CheckInputs(const std::vector<IntTensor>& inputs) const;

  const graph::IntGraph& graph_;
  std::vector<IntTensor> constants_;                  // by value; empty for the others
  std::vector<std::unique_ptr<NodeKernel>> kernels_;  // by node
  std::vector<size_t> last_use_;                      // by value: the last node that reads it
};

}  // namespace bw::golden

#endif  // MODELS_GOLDEN_EXECUTOR_H_
