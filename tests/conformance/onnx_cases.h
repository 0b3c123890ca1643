// The node tests of the ONNX project: which there are, and what is in one.
#ifndef TESTS_CONFORMANCE_ONNX_CASES_H_
#define TESTS_CONFORMANCE_ONNX_CASES_H_

#include <map>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "compiler/graph/op.h"
#include "models/tensor/tensor.h"

namespace bw::conformance {

// One directory: model.onnx and test_data_set_0/{input,output}_N.pb.
struct OnnxCase {
  std::string group;  // "node", "pytorch-operator", ...
  std::string name;   // "test_relu"
  std::string directory;
  std::set<graph::Op> ops;
  bool quantised = false;  // works on integers that stand for reals
};

// Every case whose operators are all in ops.def, sorted; empty when the package is not installed.
const std::vector<OnnxCase>& AllOnnxCases();

// What a case feeds and expects.
struct OnnxData {
  std::vector<tensor::Tensor> activations;             // graph inputs that stay inputs, in order
  std::map<std::string, std::vector<int64_t>> shapes;  // of the activations, by name
  std::map<std::string, tensor::Tensor> constants;  // those that the canonical form wants constant
  std::vector<tensor::Tensor> expected;             // in the order of the graph's outputs
};

// Nothing when a file is not a tensor of a known type. Constant are: inputs behind the operator's
// data inputs (bounds, shapes, axes), and whatever is not float32, which must fold away; of
// quantised operators the weights of convolutions, scales and zero points.
std::optional<OnnxData> LoadData(const OnnxCase& c);

// A case that the importer refuses on purpose.
struct Unsupported {
  const char* prefix;   // of the case's name
  const char* reason;   // why it is no loss here
  const char* message;  // part of the importer's error
};
const std::vector<Unsupported>& UnsupportedCases();
// The row for a case, or null.
const Unsupported* FindUnsupported(const OnnxCase& c);

// For messages of parameterised tests.
inline void PrintTo(const OnnxCase& c, std::ostream* os) { *os << c.group << "/" << c.name; }

}  // namespace bw::conformance

#endif  // TESTS_CONFORMANCE_ONNX_CASES_H_
