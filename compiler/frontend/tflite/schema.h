// Numbers of TensorFlow Lite's schema, version 3: fields by their order in each table, and
// enumerators.
#ifndef COMPILER_FRONTEND_TFLITE_SCHEMA_H_
#define COMPILER_FRONTEND_TFLITE_SCHEMA_H_

#include <cstdint>

namespace bw::frontend::tflite {

inline constexpr char kIdentifier[] = "TFL3";
inline constexpr uint32_t kSchemaVersion = 3;

namespace model_field {
enum : int { kVersion, kOperatorCodes, kSubgraphs, kDescription, kBuffers };
}
namespace operator_code_field {
enum : int { kDeprecatedBuiltinCode, kCustomCode, kVersion, kBuiltinCode };
}
namespace subgraph_field {
enum : int { kTensors, kInputs, kOutputs, kOperators, kName };
}
namespace tensor_field {
enum : int {
  kShape,
  kType,
  kBuffer,
  kName,
  kQuantization,
  kIsVariable,
  kSparsity,
  kShapeSignature
};
}
namespace quantization_field {
enum : int { kMin, kMax, kScale, kZeroPoint, kDetailsType, kDetails, kQuantizedDimension };
}
namespace operator_field {
enum : int { kOpcodeIndex, kInputs, kOutputs, kOptionsType, kOptions };
}
namespace buffer_field {
enum : int { kData, kOffset, kSize };
}

namespace conv_field {
enum : int { kPadding, kStrideW, kStrideH, kActivation, kDilationW, kDilationH };
}
namespace depthwise_field {
enum : int { kPadding, kStrideW, kStrideH, kDepthMultiplier, kActivation, kDilationW, kDilationH };
}
namespace pool_field {
enum : int { kPadding, kStrideW, kStrideH, kFilterW, kFilterH, kActivation };
}
namespace fully_connected_field {
enum : int { kActivation, kWeightsFormat, kKeepNumDims };
}
namespace concatenation_field {
enum : int { kAxis, kActivation };
}
namespace strided_slice_field {
enum : int { kBeginMask, kEndMask, kEllipsisMask, kNewAxisMask, kShrinkAxisMask, kOffset };
}
namespace resize_field {
enum : int { kAlignCorners, kHalfPixelCenters };
}
// The only field of the options of ADD, MUL and SUB that matters here, and of several others.
inline constexpr int kFirstField = 0;

enum class TensorType : int8_t {
  kFloat32 = 0,
  kFloat16 = 1,
  kInt32 = 2,
  kUint8 = 3,
  kInt64 = 4,
  kBool = 6,
  kInt16 = 7,
  kInt8 = 9,
};

enum class Padding : int8_t { kSame = 0, kValid = 1 };

enum class Activation : int8_t { kNone = 0, kRelu = 1, kReluN1To1 = 2, kRelu6 = 3 };

// Builtin operators from this number on are in OperatorCode.builtin_code alone.
inline constexpr int32_t kFirstGreaterCode = 127;
inline constexpr int32_t kCustomCode = 32;

}  // namespace bw::frontend::tflite

#endif  // COMPILER_FRONTEND_TFLITE_SCHEMA_H_
