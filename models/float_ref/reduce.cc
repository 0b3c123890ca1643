// Means over axes, and softmax.
#include <algorithm>
#include <cmath>
#include <vector>

#include "models/float_ref/op_call.h"

namespace bw::float_ref {

using tensor::Tensor;

Tensor EvalReduceMean(const OpCall& call) {
  const auto& dims = call.in(0).shape().dims;
  std::vector<bool> reduced(dims.size(), false);
  for (const int64_t axis : call.node.Ints("axes")) reduced.at(static_cast<size_t>(axis)) = true;
  // Stride of every input axis in the output; 0 along reduced axes.
  std::vector<int64_t> steps(dims.size(), 0);
  int64_t kept = 1;
  for (size_t axis = dims.size(); axis-- > 0;) {
    if (reduced[axis]) continue;
    steps[axis] = kept;
    kept *= dims[axis];
  }
  return VisitFloat(call, [&](auto zero) {
    using T = decltype(zero);
    std::vector<double> sums(static_cast<size_t>(kept), 0.0);
    std::vector<int64_t> index(dims.size(), 0);
    const T* x = call.in(0).data<T>();
    int64_t at = 0;
    for (int64_t i = 0; i < call.in(0).elements(); ++i) {
      sums[static_cast<size_t>(at)] += static_cast<double>(x[i]);
      for (size_t axis = dims.size(); axis-- > 0;) {
        at += steps[axis];
        if (++index[axis] < dims[axis]) break;
        at -= steps[axis] * dims[axis];
        index[axis] = 0;
      }
    }
    Tensor out(call.out_dtype, call.out_shape);
    const double count = static_cast<double>(call.in(0).elements() / std::max<int64_t>(kept, 1));
    std::transform(sums.begin(), sums.end(), out.data<T>(),
                   [=](double sum) { return static_cast<T>(sum / count); });
    return out;
  });
}

Tensor EvalSoftmax(const OpCall& call) {
  const auto& dims = call.out_shape.dims;
  const auto axis = static_cast<size_t>(call.node.Int("axis"));
  const int64_t n = dims.at(axis);
  int64_t inner = 1;
  for (size_t a = axis + 1; a < dims.size(); ++a) inner *= dims[a];
  return VisitFloat(call, [&](auto zero) {
    using T = decltype(zero);
    Tensor out(call.out_dtype, call.out_shape);
    std::vector<double> e(static_cast<size_t>(n));
    for (int64_t start = 0; start < out.elements(); start += n * inner) {
      for (int64_t i = 0; i < inner; ++i) {
        const T* x = call.in(0).data<T>() + start + i;
        T* y = out.data<T>() + start + i;
        double top = static_cast<double>(x[0]), sum = 0;
        for (int64_t k = 1; k < n; ++k) top = std::max(top, static_cast<double>(x[k * inner]));
        for (int64_t k = 0; k < n; ++k) {
          sum += e[static_cast<size_t>(k)] = std::exp(static_cast<double>(x[k * inner]) - top);
        }
        for (int64_t k = 0; k < n; ++k) {
          y[k * inner] = static_cast<T>(e[static_cast<size_t>(k)] / sum);
        }
      }
    }
    return out;
  });
}

}  // namespace bw::float_ref
