// Quantised operators on integer types: passes::Canonicalise leaves none of them.
#include "compiler/lower/lower_ops.h"

namespace bw::lower {
namespace {

Status Unresolved(Builder& b, int index) {
  return b.NodeError(index, "works on integers that are not resolved to quantised values",
                     "run passes::Canonicalise first");
}

}  // namespace

Status LowerQuantizeLinear(Builder& b, int index) { return Unresolved(b, index); }
Status LowerDequantizeLinear(Builder& b, int index) { return Unresolved(b, index); }
Status LowerDynamicQuantizeLinear(Builder& b, int index) { return Unresolved(b, index); }
Status LowerQLinearConv(Builder& b, int index) { return Unresolved(b, index); }
Status LowerQLinearMatMul(Builder& b, int index) { return Unresolved(b, index); }
Status LowerConvInteger(Builder& b, int index) { return Unresolved(b, index); }
Status LowerMatMulInteger(Builder& b, int index) { return Unresolved(b, index); }

}  // namespace bw::lower
