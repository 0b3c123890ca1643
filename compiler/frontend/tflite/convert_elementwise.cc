// Elementwise operators, softmax, and changes of quantisation.
#include <algorithm>

#include "compiler/frontend/tflite/convert.h"
#include "compiler/frontend/tflite/layout.h"

namespace bw::frontend::tflite {
namespace {

using graph::Op;
using graph::ValueId;
using tensor::Shape;

// The operand of a binary operator, with axes of extent 1 put in front when the other one has more.
Result<ValueId> AlignedOperand(OperatorContext& c, size_t i, int rank, const std::string& suffix) {
  const Shape shape = c.InputShape(i);
  const ValueId id = c.Input(i);
  BW_RETURN_IF_ERROR(c.status());
  if (shape.rank() == rank) return id;
  Shape aligned = shape;
  while (aligned.rank() < rank) aligned.dims.insert(aligned.dims.begin(), 1);
  return Reshaped(c, id, shape, aligned, suffix);
}

// x * beta, of which every integer is the same and the scale beta times the input's.
Result<ValueId> TimesBeta(OperatorContext& c, ValueId x, float beta) {
  std::optional<graph::Quantisation> scaled = c.QuantisationOf(x);
  Constant factor{Shape(), {beta}, {}, std::nullopt};
  if (scaled) {
    graph::Quantisation one;
    one.scales = {static_cast<double>(beta)};
    one.zero_points = {0};
    factor = {Shape(), {}, {1}, one};
    scaled->scales[0] *= static_cast<double>(beta);
  }
  BW_ASSIGN_OR_RETURN(const ValueId b, c.AddConstant(std::move(factor), "beta"));
  return c.Emit(Op::kMul, {x, b}, {}, "scaled", scaled);
}

}  // namespace

Status ConvertBinary(OperatorContext& c) {
  const int rank = std::max(c.InputShape(0).rank(), c.InputShape(1).rank());
  BW_ASSIGN_OR_RETURN(const ValueId a, AlignedOperand(c, 0, rank, "a"));
  BW_ASSIGN_OR_RETURN(const ValueId b, AlignedOperand(c, 1, rank, "b"));
  const Op op = c.code() == k_ADD ? Op::kAdd : c.code() == k_SUB ? Op::kSub : Op::kMul;
  return c.FinishActivated(op, {a, b}, {}, c.ActivationOption(kFirstField));
}

Status ConvertUnary(OperatorContext& c) {
  const ValueId x = c.Input(0);
  switch (c.code()) {
    case k_LOGISTIC:
      return c.Finish(Op::kSigmoid, {x}, {});
    case k_TANH:
      return c.Finish(Op::kTanh, {x}, {});
    case k_HARD_SWISH:
      return c.Finish(Op::kHardSwish, {x}, {});
    case k_RELU:
      return c.Finish(Op::kRelu, {x}, {});
    case k_RELU_N1_TO_1:
      return c.Finish(Op::kClip, {x}, {{"min", -1.0}, {"max", 1.0}});
    case k_RELU6:
      return c.Finish(Op::kClip, {x}, {{"min", 0.0}, {"max", 6.0}});
    default:
      break;
  }
  BW_CHECK(c.code() == k_LEAKY_RELU, "code = {}", c.code());
  const auto alpha = c.Option<float>(kFirstField, 0.0f);
  if (!(alpha >= -1e6f && alpha <= 1e6f)) c.Note("alpha {} is out of range", alpha);
  return c.Finish(Op::kLeakyRelu, {x}, {{"alpha", static_cast<double>(alpha)}});
}

Status ConvertSoftmax(OperatorContext& c) {
  constexpr float kLeastBeta = 1e-6f, kMostBeta = 1e6f;
  const int rank = c.InputShape(0).rank();
  const auto beta = c.Option<float>(kFirstField, 0.0f);
  if (!(beta >= kLeastBeta && beta <= kMostBeta)) {
    c.Note("beta is {}; allowed are {} to {}", beta, kLeastBeta, kMostBeta);
  }
  if (rank == 0) c.Note("the input is a scalar");
  ValueId x = c.Input(0);
  BW_RETURN_IF_ERROR(c.status());
  if (beta != 1.0f) {
    BW_ASSIGN_OR_RETURN(x, TimesBeta(c, x, beta));
  }
  return c.Finish(Op::kSoftmax, {x}, {{"axis", GraphAxis(rank - 1, rank)}});
}

// QUANTIZE and DEQUANTIZE: constants change here, activations by a node between two quantisations.
Status ConvertRequantise(OperatorContext& c) {
  if (!c.IsConstant(0)) return c.Finish(Op::kIdentity, {c.AnyInput(0)}, {});
  const Constant* constant = c.ConstantInput(0, "the operand");
  const std::optional<graph::Quantisation> quantisation = c.ResultQuantisation();
  if (!c.IsReal(0) && !c.IsQuantised(0)) {
    c.Note("the operand must be float32, float16, int8, uint8 or int16");
  }
  BW_RETURN_IF_ERROR(c.status());
  if (quantisation) return c.FinishWith(Quantised(*constant, *quantisation));
  return c.FinishWith({constant->shape, RealsOf(*constant), {}, std::nullopt});
}

}  // namespace bw::frontend::tflite
