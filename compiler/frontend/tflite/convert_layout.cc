// Operators that move data or reduce it along axes.
#include <algorithm>

#include "compiler/frontend/tflite/convert.h"
#include "compiler/frontend/tflite/layout.h"

namespace bw::frontend::tflite {
namespace {

using graph::Op;
using graph::ValueId;
using tensor::Shape;

// One -1 takes what is left.
Shape ResolveShape(OperatorContext& c, const Shape& x, Ints extents) {
  int64_t known = 1;
  int64_t* open = nullptr;
  for (int64_t& extent : extents) {
    if (extent == -1 && open == nullptr) {
      open = &extent;
    } else if (extent < 0 || extent > INT32_MAX || known > INT32_MAX) {
      c.Note("the new shape has the extent {}", extent);
      return {};
    } else {
      known *= extent;
    }
  }
  if (open == nullptr) return Shape(std::move(extents));
  const int64_t elements = x.Elements();
  if (known == 0 || elements % known != 0) {
    c.Note("the {} elements of {} do not fill a multiple of {}", elements, x.ToString(), known);
    return {};
  }
  *open = elements / known;
  return Shape(std::move(extents));
}

// From the operand, else from the options, else as the file says of the result: the shape that the
// converter worked out when the operand is computed at run time.
std::optional<Ints> NewShape(OperatorContext& c) {
  if (c.IsConstant(1)) return c.ConstantInts(1, "the new shape");
  if (!c.HasInput(1)) return c.IntsOption(kFirstField);
  const std::optional<Shape> declared = c.DeclaredShape(0);
  if (declared) return declared->dims;
  c.Note("the new shape is not constant");
  return std::nullopt;
}

// Notes an error when a tensor of more than the graph's ranks would be made.
bool CheckRank(OperatorContext& c, int rank) {
  if (rank > kMostRank) c.Note("the result has rank {}; supported are up to {}", rank, kMostRank);
  return c.status().ok();
}

}  // namespace

Result<ValueId> Reshaped(OperatorContext& c, ValueId id, const Shape& from, const Shape& to,
                         const std::string& suffix) {
  BW_RETURN_IF_ERROR(c.status());
  if (from == to) return id;
  const std::optional<graph::Quantisation> quantisation = c.QuantisationOf(id);
  if (!SameElementOrder(from)) {
    BW_ASSIGN_OR_RETURN(id, c.Emit(Op::kTranspose, {id}, {{"perm", ToFileOrder()}},
                                   suffix + "_nhwc", quantisation));
  }
  const bool same = SameElementOrder(to);
  BW_ASSIGN_OR_RETURN(id,
                      c.Emit(Op::kReshape, {id}, {{"shape", same ? GraphShape(to).dims : to.dims}},
                             same ? suffix : suffix + "_shape", quantisation));
  if (same) return id;
  return c.Emit(Op::kTranspose, {id}, {{"perm", ToGraphOrder()}}, suffix, quantisation);
}

Status FinishReshaped(OperatorContext& c, ValueId id, const Shape& from, const Shape& to,
                      const std::string& suffix) {
  if (!CheckRank(c, to.rank())) return c.status();
  if (from == to) return c.Finish(Op::kIdentity, {id}, {}, suffix);
  const std::optional<graph::Quantisation> quantisation = c.QuantisationOf(id);
  if (!SameElementOrder(from)) {
    BW_ASSIGN_OR_RETURN(
        id, c.Emit(Op::kTranspose, {id}, {{"perm", ToFileOrder()}}, "nhwc", quantisation));
  }
  if (SameElementOrder(to)) {
    return c.Finish(Op::kReshape, {id}, {{"shape", GraphShape(to).dims}}, suffix);
  }
  BW_ASSIGN_OR_RETURN(id, c.Emit(Op::kReshape, {id}, {{"shape", to.dims}}, suffix, quantisation));
  return c.Finish(Op::kTranspose, {id}, {{"perm", ToGraphOrder()}}, "nchw");
}

Status ConvertReshape(OperatorContext& c) {
  const Shape x = c.InputShape(0);
  const std::optional<Ints> extents = NewShape(c);
  BW_RETURN_IF_ERROR(c.status());
  const Shape shape = ResolveShape(c, x, *extents);
  const ValueId id = c.Input(0);
  return FinishReshaped(c, id, x, shape);
}

Status ConvertSqueeze(OperatorContext& c) {
  const Shape x = c.InputShape(0);
  Ints axes = c.IntsOption(kFirstField);
  for (int64_t& axis : axes) axis = c.Axis(axis, x.rank());
  Shape shape;
  for (int i = 0; i < x.rank(); ++i) {
    const bool listed = std::find(axes.begin(), axes.end(), i) != axes.end();
    if (listed && x[i] != 1) c.Note("axis {} of {} has not the extent 1", i, x.ToString());
    if (!listed && (!axes.empty() || x[i] != 1)) shape.dims.push_back(x[i]);
  }
  return FinishReshaped(c, c.Input(0), x, shape);
}

Status ConvertExpandDims(OperatorContext& c) {
  const Shape x = c.InputShape(0);
  const std::optional<Ints> axis = c.ConstantInts(1, "the axis");
  if (axis && axis->size() != 1) c.Note("the axis has {} elements", axis->size());
  BW_RETURN_IF_ERROR(c.status());
  Shape shape = x;
  shape.dims.insert(shape.dims.begin() + c.Axis((*axis)[0], x.rank() + 1), 1);
  return FinishReshaped(c, c.Input(0), x, shape);
}

Status ConvertConcatenation(OperatorContext& c) {
  const int rank = c.InputShape(0).rank();
  const int64_t axis = c.Axis(c.Option<int32_t>(concatenation_field::kAxis, 0), rank);
  std::vector<ValueId> ids;
  for (size_t i = 0; i < c.inputs(); ++i) ids.push_back(c.Input(i));
  return c.FinishActivated(Op::kConcat, std::move(ids), {{"axis", GraphAxis(axis, rank)}},
                           c.ActivationOption(concatenation_field::kActivation));
}

Status ConvertTranspose(OperatorContext& c) {
  const auto rank = static_cast<size_t>(c.InputShape(0).rank());
  const std::optional<Ints> listed = c.ConstantInts(1, "the permutation");
  if (listed && listed->size() != rank) {
    c.Note("the permutation lists {} axes of {}", listed->size(), rank);
  }
  BW_RETURN_IF_ERROR(c.status());
  Ints perm(rank);
  for (size_t i = 0; i < rank; ++i) {
    const auto to = static_cast<size_t>(GraphAxis(static_cast<int64_t>(i), static_cast<int>(rank)));
    const int64_t axis = c.Axis((*listed)[i], static_cast<int64_t>(rank));
    perm[to] = GraphAxis(axis, static_cast<int>(rank));
  }
  return c.Finish(Op::kTranspose, {c.Input(0)}, {{"perm", perm}});
}

// PAD pads with the real 0, which is the zero point; PADV2 with operand 2.
Status ConvertPad(OperatorContext& c) {
  const Shape x = c.InputShape(0);
  const auto rank = static_cast<size_t>(x.rank());
  const std::optional<Ints> listed = c.ConstantInts(1, "the paddings");
  if (listed && listed->size() != 2 * rank) {
    c.Note("needs {} paddings, two for each axis of {}", 2 * rank, x.ToString());
  }
  double value = 0;
  if (c.HasInput(2)) {
    const Constant* constant = c.ConstantInput(2, "the value");
    const bool same = c.IsQuantised(0) ? c.IsQuantised(2) : c.IsReal(2);
    const std::vector<float> reals =
        constant == nullptr || !same ? std::vector<float>() : RealsOf(*constant);
    if (!same) c.Note("the value has another type than the input");
    if (reals.size() != 1) c.Note("the value must have one element");
    if (reals.size() == 1) value = static_cast<double>(reals[0]);
  }
  BW_RETURN_IF_ERROR(c.status());
  Ints pads(2 * rank);
  for (size_t i = 0; i < rank; ++i) {
    const auto to = static_cast<size_t>(GraphAxis(static_cast<int64_t>(i), x.rank()));
    pads[to] = (*listed)[2 * i];
    pads[to + rank] = (*listed)[2 * i + 1];
  }
  return c.Finish(Op::kPad, {c.Input(0)},
                  {{"mode", std::string("constant")}, {"pads", pads}, {"value", value}});
}

// The mean with the axes kept; without keep_dims a reshape drops them.
Status ConvertMean(OperatorContext& c) {
  const Shape x = c.InputShape(0);
  const std::optional<Ints> listed = c.ConstantInts(1, "the axes");
  BW_RETURN_IF_ERROR(c.status());
  const ValueId input = c.Input(0);
  Ints axes;
  Shape kept = x;
  Shape dropped;
  for (const int64_t axis : *listed) axes.push_back(c.Axis(axis, x.rank()));
  std::sort(axes.begin(), axes.end());
  axes.erase(std::unique(axes.begin(), axes.end()), axes.end());
  for (int i = 0; i < x.rank(); ++i) {
    if (std::find(axes.begin(), axes.end(), i) != axes.end()) {
      kept[i] = 1;
    } else {
      dropped.dims.push_back(x[i]);
    }
  }
  for (int64_t& axis : axes) axis = GraphAxis(axis, x.rank());
  std::sort(axes.begin(), axes.end());
  const Attributes attributes = {{"axes", axes}, {"keepdims", int64_t{1}}};
  if (c.Option<uint8_t>(kFirstField, 0) != 0 || axes.empty()) {
    return c.Finish(Op::kReduceMean, {input}, attributes);
  }
  const std::optional<graph::Quantisation> quantisation = c.ResultQuantisation();
  BW_ASSIGN_OR_RETURN(const ValueId y,
                      c.Emit(Op::kReduceMean, {input}, attributes, "", quantisation));
  return FinishReshaped(c, y, kept, dropped, "shape");
}

// The importer leaves out what makes integers alone; what remains here makes activations.
Status ConvertShapeArithmetic(OperatorContext& c) {
  c.Note("is supported on int32 and int64 alone, to make the new shape of a RESHAPE");
  return c.status();
}

}  // namespace bw::frontend::tflite
