// Constant nodes: every form of the value.
#include "compiler/frontend/onnx/convert.h"
#include "compiler/frontend/onnx/tensor_proto.h"

namespace bw::frontend {
namespace {

using onnx::AttributeProto;
using tensor::Shape;
using tensor::Tensor;

template <typename T, typename Field>
Tensor FromList(const Field& field) {
  return Tensor::From<T>(Shape({static_cast<int64_t>(field.size())}),
                         std::vector<T>(field.begin(), field.end()));
}

}  // namespace

Status ConvertConstant(NodeContext& c) {
  if (const AttributeProto* value = c.Find("value")) {
    if (value->type() != AttributeProto::TENSOR) c.Note("attribute value must be a tensor");
    BW_RETURN_IF_ERROR(c.status());
    BW_ASSIGN_OR_RETURN(Tensor tensor, ToTensor(value->t(), c.file(), c.Place()));
    return c.FinishWith(std::move(tensor));
  }
  if (c.Has("value_float")) {
    return c.FinishWith(Tensor::From<float>({}, {static_cast<float>(c.Float("value_float", 0))}));
  }
  if (c.Has("value_int")) {
    return c.FinishWith(Tensor::From<int64_t>({}, {c.Int("value_int", 0)}));
  }
  if (const AttributeProto* floats = c.Find("value_floats")) {
    return c.FinishWith(FromList<float>(floats->floats()));
  }
  if (const AttributeProto* ints = c.Find("value_ints")) {
    return c.FinishWith(FromList<int64_t>(ints->ints()));
  }
  for (const char* other : {"sparse_value", "value_string", "value_strings"}) {
    if (c.Has(other)) c.Note("{} is not supported", other);
  }
  if (c.status().ok()) c.Note("has no value");
  return c.status();
}

}  // namespace bw::frontend
