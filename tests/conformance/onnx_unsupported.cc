#include <algorithm>
#include <string_view>

#include "tests/conformance/onnx_cases.h"

namespace bw::conformance {

const std::vector<Unsupported>& UnsupportedCases() {
  constexpr const char* kFloat = "activations are float32 in the float graph";
  constexpr const char* kPlanes = "the machine convolves and pools planes (rank 4, or 3)";
  constexpr const char* kInference = "networks are run, not trained";
  constexpr const char* kMode = "the machine pads with one value";
  constexpr const char* kIndices = "indices of maxima are of no use to a network that is only run";
  constexpr const char* kNearest = "the machine repeats and skips elements, it does not blend them";
  static const std::vector<Unsupported> rows = {
      {"test_averagepool_3d", kPlanes, "supported are 3 (1-D) and 4 (2-D)"},
      {"test_maxpool_3d", kPlanes, "supported are 3 (1-D) and 4 (2-D)"},
      {"test_AvgPool3d", kPlanes, "supported are 3 (1-D) and 4 (2-D)"},
      {"test_MaxPool3d", kPlanes, "supported are 3 (1-D) and 4 (2-D)"},
      {"test_Conv3d", kPlanes, "supported are 3 (1-D) and 4 (2-D)"},
      {"test_BatchNorm3d", kPlanes, "the rank must be 2 to 4"},
      {"test_batchnorm_epsilon_training_mode", kInference, "only the first output is supported"},
      {"test_batchnorm_example_training_mode", kInference, "only the first output is supported"},
      {"test_dropout_default_mask", kInference, "only the first output is supported"},
      {"test_training_dropout_default_mask", kInference, "only the first output is supported"},
      {"test_training_dropout_mask", kInference, "only the first output is supported"},
      {"test_training_dropout_zero_ratio_mask", kInference, "only the first output is supported"},
      {"test_training_dropout", kInference, "training_mode is not supported"},
      {"test_maxpool_with_argmax", kIndices, "only the first output is supported"},
      {"test_cast_BFLOAT16_to_FLOAT", kFloat, "has type BFLOAT16"},
      {"test_cast_DOUBLE_to_FLOAT16", kFloat, "has type DOUBLE"},
      {"test_cast_FLOAT16_to_", kFloat, "has type FLOAT16"},
      {"test_cast_FLOAT_to_DOUBLE", kFloat, "makes float64 values from activations"},
      {"test_cast_FLOAT_to_", kFloat, "is not supported"},
      {"test_cast_STRING_to_", kFloat, "has type STRING"},
      {"test_castlike_BFLOAT16_to_FLOAT", kFloat, "has type BFLOAT16"},
      {"test_castlike_DOUBLE_to_FLOAT16", kFloat, "has type DOUBLE"},
      {"test_castlike_FLOAT16_to_", kFloat, "has type FLOAT16"},
      {"test_castlike_FLOAT_to_BFLOAT16", kFloat, "has type BFLOAT16"},
      {"test_castlike_FLOAT_to_DOUBLE", kFloat, "makes float64 values from activations"},
      {"test_castlike_FLOAT_to_FLOAT16", kFloat, "has type FLOAT16"},
      {"test_castlike_FLOAT_to_STRING", kFloat, "has type STRING"},
      {"test_castlike_STRING_to_", kFloat, "has type STRING"},
      {"test_identity_opt", "values are tensors", "only tensors are supported"},
      {"test_identity_sequence", "values are tensors", "only tensors are supported"},
      {"test_edge_pad", kMode, "mode edge is not supported"},
      {"test_reflect_pad", kMode, "mode reflect is not supported"},
      {"test_ReflectionPad2d", kMode, "mode reflect is not supported"},
      {"test_ReplicationPad2d", kMode, "mode edge is not supported"},
      {"test_operator_pad", kMode, "mode reflect is not supported"},
      {"test_resize_downsample_scales_cubic", kNearest, "mode cubic is not supported"},
      {"test_resize_downsample_scales_linear", kNearest, "mode linear is not supported"},
      {"test_resize_downsample_sizes_cubic", kNearest, "mode cubic is not supported"},
      {"test_resize_downsample_sizes_linear", kNearest, "mode linear is not supported"},
      {"test_resize_tf_crop_and_resize", kNearest, "tf_crop_and_resize is not supported"},
      {"test_resize_upsample_scales_cubic", kNearest, "mode cubic is not supported"},
      {"test_resize_upsample_scales_linear", kNearest, "mode linear is not supported"},
      {"test_resize_upsample_sizes_cubic", kNearest, "mode cubic is not supported"},
  };
  return rows;
}

const Unsupported* FindUnsupported(const OnnxCase& c) {
  const auto& rows = UnsupportedCases();
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const Unsupported& r) {
    return c.name.rfind(r.prefix, 0) == 0;
  });
  return row == rows.end() ? nullptr : &*row;
}

}  // namespace bw::conformance
