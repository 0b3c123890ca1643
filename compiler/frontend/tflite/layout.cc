#include "compiler/frontend/tflite/layout.h"

namespace bw::frontend::tflite {
namespace {

tensor::Shape Permuted(const tensor::Shape& shape, const std::vector<int64_t>& perm) {
  if (shape.rank() != kMostRank) return shape;
  tensor::Shape permuted;
  for (const int64_t axis : perm) permuted.dims.push_back(shape.dims[static_cast<size_t>(axis)]);
  return permuted;
}

}  // namespace

const std::vector<int64_t>& ToGraphOrder() {
  static const std::vector<int64_t>& order = *new std::vector<int64_t>{0, 3, 1, 2};
  return order;
}

const std::vector<int64_t>& ToFileOrder() {
  static const std::vector<int64_t>& order = *new std::vector<int64_t>{0, 2, 3, 1};
  return order;
}

int64_t GraphAxis(int64_t axis, int rank) {
  return rank == kMostRank ? ToFileOrder()[static_cast<size_t>(axis)] : axis;
}

tensor::Shape GraphShape(const tensor::Shape& file_shape) {
  return Permuted(file_shape, ToGraphOrder());
}

tensor::Shape FileShape(const tensor::Shape& graph_shape) {
  return Permuted(graph_shape, ToFileOrder());
}

bool SameElementOrder(const tensor::Shape& file_shape) {
  if (file_shape.rank() != kMostRank) return true;
  return file_shape[3] == 1 || (file_shape[1] == 1 && file_shape[2] == 1);
}

}  // namespace bw::frontend::tflite
