// Matrix products.
#include <Eigen/Core>
#include <vector>

#include "models/float_ref/op_call.h"

namespace bw::float_ref {
namespace {

using tensor::Shape;
using tensor::Tensor;

template <typename T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Adds beta * c, broadcast from rank 0, 1 or 2, to y[M,N].
template <typename T>
void AddBias(const Tensor& c, T beta, Eigen::Map<Matrix<T>>& y) {
  const auto& dims = c.shape().dims;
  const int64_t rows = dims.size() == 2 ? dims[0] : 1;
  const int64_t cols = dims.empty() ? 1 : dims.back();
  const T* data = c.data<T>();
  for (int64_t m = 0; m < y.rows(); ++m) {
    for (int64_t n = 0; n < y.cols(); ++n) {
      y(m, n) += beta * data[(rows == 1 ? 0 : m) * cols + (cols == 1 ? 0 : n)];
    }
  }
}

}  // namespace

Tensor EvalGemm(const OpCall& call) {
  return VisitFloat(call, [&](auto zero) {
    using T = decltype(zero);
    const Tensor& a = call.in(0);
    const Tensor& b = call.in(1);
    Tensor out(call.out_dtype, call.out_shape);
    const Eigen::Map<const Matrix<T>> lhs(a.data<T>(), a.shape()[0], a.shape()[1]);
    const Eigen::Map<const Matrix<T>> rhs(b.data<T>(), b.shape()[0], b.shape()[1]);
    Eigen::Map<Matrix<T>> y(out.data<T>(), call.out_shape[0], call.out_shape[1]);
    const bool trans_a = call.node.Int("transA") != 0, trans_b = call.node.Int("transB") != 0;
    if (trans_a && trans_b) y.noalias() = lhs.transpose() * rhs.transpose();
    if (trans_a && !trans_b) y.noalias() = lhs.transpose() * rhs;
    if (!trans_a && trans_b) y.noalias() = lhs * rhs.transpose();
    if (!trans_a && !trans_b) y.noalias() = lhs * rhs;
    y *= static_cast<T>(call.node.Float("alpha"));
    if (call.has(2)) AddBias<T>(call.in(2), static_cast<T>(call.node.Float("beta")), y);
    return out;
  });
}

// numpy.matmul: leading axes broadcast; a vector is a row on the left, a column on the right.
Tensor EvalMatMul(const OpCall& call) {
  return VisitFloat(call, [&](auto zero) {
    using T = decltype(zero);
    std::vector<int64_t> a = call.in(0).shape().dims, b = call.in(1).shape().dims;
    if (a.size() == 1) a.insert(a.begin(), 1);
    if (b.size() == 1) b.push_back(1);
    const int64_t m = a[a.size() - 2], k = a.back(), n = b.back();
    const size_t lead = std::max(a.size(), b.size()) - 2;
    a.insert(a.begin(), lead + 2 - a.size(), 1);
    b.insert(b.begin(), lead + 2 - b.size(), 1);

    Tensor out(call.out_dtype, call.out_shape);
    int64_t batches = 1;
    for (size_t axis = 0; axis < lead; ++axis) batches *= std::max(a[axis], b[axis]);
    for (int64_t batch = 0; batch < batches; ++batch) {
      int64_t at_a = 0, at_b = 0, step_a = 1, step_b = 1, rest = batch;
      for (size_t axis = lead; axis-- > 0;) {
        const int64_t extent = std::max(a[axis], b[axis]), index = rest % extent;
        rest /= extent;
        at_a += (a[axis] == 1 ? 0 : index) * step_a;
        at_b += (b[axis] == 1 ? 0 : index) * step_b;
        step_a *= a[axis];
        step_b *= b[axis];
      }
      const Eigen::Map<const Matrix<T>> lhs(call.in(0).data<T>() + at_a * m * k, m, k);
      const Eigen::Map<const Matrix<T>> rhs(call.in(1).data<T>() + at_b * k * n, k, n);
      Eigen::Map<Matrix<T>>(out.data<T>() + batch * m * n, m, n).noalias() = lhs * rhs;
    }
    return out;
  });
}

}  // namespace bw::float_ref
