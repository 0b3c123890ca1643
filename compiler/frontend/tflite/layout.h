// Orders of axes: .tflite files hold tensors of rank 4 as N, H, W, C, the graph as N, C, H, W.
// Tensors of other ranks have one order.
#ifndef COMPILER_FRONTEND_TFLITE_LAYOUT_H_
#define COMPILER_FRONTEND_TFLITE_LAYOUT_H_

#include <cstdint>
#include <vector>

#include "models/tensor/shape.h"

namespace bw::frontend::tflite {

inline constexpr int kMostRank = 4;

// Transpose's perm from the file's order to the graph's, and back. Also: axis i of a graph shape is
// axis ToGraphOrder()[i] of the file's shape.
const std::vector<int64_t>& ToGraphOrder();
const std::vector<int64_t>& ToFileOrder();

// The axis of the graph's value that is axis `axis` of the file's tensor.
int64_t GraphAxis(int64_t axis, int rank);
tensor::Shape GraphShape(const tensor::Shape& file_shape);
tensor::Shape FileShape(const tensor::Shape& graph_shape);

// Whether the elements lie in the same row-major order either way: rank other than 4, one channel
// or one pixel.
bool SameElementOrder(const tensor::Shape& file_shape);

}  // namespace bw::frontend::tflite

#endif  // COMPILER_FRONTEND_TFLITE_LAYOUT_H_
