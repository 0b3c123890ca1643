// Convolution and pooling on [N,C,H,W]: padding by rule becomes numbers, and [N,C,W] gets H = 1.
#ifndef COMPILER_FRONTEND_ONNX_SPATIAL_H_
#define COMPILER_FRONTEND_ONNX_SPATIAL_H_

#include <string>
#include <string_view>
#include <vector>

#include "compiler/frontend/onnx/node_context.h"

namespace bw::frontend {

// Spatial parameters in 2-D, as attributes.
struct Spatial {
  std::vector<int64_t> kernel, strides, dilations;
  std::vector<int64_t> pads;  // {top, left, bottom, right}
};

// A list attribute with one number an axis, all in least..2^31 - 1.
std::vector<int64_t> AxisInts(NodeContext& c, const std::string& name, size_t count, int64_t least,
                              int64_t otherwise);

// Reads strides, dilations and pads; adds the axis of extent 1 to 1-D parameters.
Spatial ReadSpatial(NodeContext& c, const tensor::Shape& x, std::vector<int64_t> kernel);

// Notes an error unless `shape` is [N,C,W] or [N,C,H,W].
bool CheckRank(NodeContext& c, const tensor::Shape& shape, std::string_view what);

// Ends the conversion of a node on [N,C,H,W]; one on [N,C,W] runs with H = 1 between two reshapes.
Status FinishSpatial(NodeContext& c, std::vector<graph::ValueId> inputs, Attributes attributes);

// Ends that of a convolution of input 0 with input `weights`.
Status FinishConv(NodeContext& c, std::vector<graph::ValueId> inputs, size_t weights);

}  // namespace bw::frontend

#endif  // COMPILER_FRONTEND_ONNX_SPATIAL_H_
