// Evaluates the float graph: the reference against which every loss of quantisation is measured,
// and the source of calibration ranges.
#ifndef MODELS_FLOAT_REF_EXECUTOR_H_
#define MODELS_FLOAT_REF_EXECUTOR_H_

#include <functional>
#include <map>
#include <vector>

#include "compiler/graph/graph.h"
#include "models/status/result.h"
#include "models/tensor/tensor.h"

namespace bw::float_ref {

enum class Precision {
  kAsStored,  // every operator in the element type of its input, sums of means in double
  kDouble,    // float32 inputs and constants are widened first, so that all results are float64
};

// Called with every graph input and then every node's result, in topological order; the tensor is
// gone after its last consumer has run, so an observer copies what it wants to keep.
using Observer = std::function<void(graph::ValueId, const tensor::Tensor&)>;

// The graph must have passed graph::Verify and must outlive the executor. Run is const and keeps no
// state: any number of threads may run samples at once.
class FloatExecutor {
 public:
  explicit FloatExecutor(const graph::Graph& graph, Precision precision = Precision::kAsStored);

  // `inputs` in the order of graph.inputs; result in the order of graph.outputs. Errors: another
  // number of inputs, another shape or element type than the graph's.
  Result<std::vector<tensor::Tensor>> Run(const std::vector<tensor::Tensor>& inputs,
                                          const Observer& observer = nullptr) const;
  // Every input and every node's result.
  Result<std::map<graph::ValueId, tensor::Tensor>> RunAll(
      const std::vector<tensor::Tensor>& inputs) const;

 private:
  struct State;
  Status CheckInputs(const std::vector<tensor::Tensor>& inputs) const;
  const tensor::Tensor* Find(const State& state, graph::ValueId id) const;
  tensor::DType ComputeType(tensor::DType dtype) const;
  void Release(State& state, size_t node_index) const;

  const graph::Graph& graph_;
  Precision precision_;
  std::vector<size_t>
      last_use_;  // by value: index of the last node that reads it; kKept: never freed
  std::map<graph::ValueId, tensor::Tensor> widened_;  // kDouble: float32 constants as float64
};

}  // namespace bw::float_ref

#endif  // MODELS_FLOAT_REF_EXECUTOR_H_
