#include <algorithm>

#include "models/golden/dot_products.h"
#include "models/golden/node_kernel.h"
#include "models/golden/operand_range.h"
#include "models/golden/requantiser.h"

namespace bw::golden {
namespace {

using graph::IntMatMul;

// a[batch, rows, terms] x b[batch or 1, terms, columns].
struct Geometry {
  int64_t batches, rows, terms, columns;
  bool shared;  // one b for the whole batch

  explicit Geometry(const KernelSpec& spec) {
    const auto& a = spec.in(0).shape;
    const auto& b = spec.in(1).shape;
    rows = a[a.rank() - 2];
    terms = a[a.rank() - 1];
    columns = b[b.rank() - 1];
    batches = 1;
    for (int axis = 0; axis + 2 < a.rank(); ++axis) batches *= a[axis];
    shared = b.rank() == 2;
  }
};

class MatMulKernel : public NodeKernel {
 public:
  MatMulKernel(const KernelSpec& spec, const IntMatMul& params)
      : g_(spec),
        a_zero_(spec.in(0).zero_point),
        b_zero_(spec.in(1).zero_point),
        view_(spec.out().shape),
        per_channel_(params.requant.entries.size() > 1),
        bias_(static_cast<size_t>(g_.columns), 0),
        requantiser_(params.requant, RuleOf(spec), spec.graph.acc_bits) {
    if (spec.has(2)) bias_ = spec.in(2).constant;
  }

 protected:
  // One row of results. The bias goes with the column, the channel with the output's shape.
  template <typename Acc>
  void FinishRow(int64_t row, const Acc* acc, IntTensor& out, NodeCounts& counts) const {
    const int64_t at = row * g_.columns;
    for (int64_t j = 0; j < g_.columns; ++j) {
      requantiser_.Channel(per_channel_ ? view_.channel(at + j) : 0, acc + j, 1,
                           bias_[static_cast<size_t>(j)], 1, out.data.data() + at + j, counts);
    }
  }

  Geometry g_;
  int64_t a_zero_, b_zero_;

 private:
  ChannelView view_;
  bool per_channel_;
  std::vector<int32_t> bias_;
  Requantiser requantiser_;
};

// The definition.
class DirectMatMul : public MatMulKernel {
 public:
  using MatMulKernel::MatMulKernel;

  void Run(const std::vector<const IntTensor*>& inputs, IntTensor& out,
           NodeCounts& counts) const override {
    std::vector<int64_t> acc(static_cast<size_t>(g_.columns));
    for (int64_t row = 0; row < g_.batches * g_.rows; ++row) {
      const int32_t* a = inputs[0]->data.data() + row * g_.terms;
      const int64_t batch = g_.shared ? 0 : row / g_.rows;
      const int32_t* b = inputs[1]->data.data() + batch * g_.terms * g_.columns;
      for (int64_t j = 0; j < g_.columns; ++j) {
        int64_t sum = 0;
        for (int64_t k = 0; k < g_.terms; ++k) {
          sum += (a[k] - a_zero_) * (b[k * g_.columns + j] - b_zero_);
        }
        acc[static_cast<size_t>(j)] = sum;
      }
      FinishRow(row, acc.data(), out, counts);
    }
  }
};

// Both operands as zero-padded rows of T, b transposed; T holds an operand, Acc every sum.
template <typename T, typename Acc>
class FastMatMul : public MatMulKernel {
 public:
  FastMatMul(const KernelSpec& spec, const IntMatMul& params)
      : MatMulKernel(spec, params), row_(PaddedRow(g_.terms)) {
    if (g_.shared && !spec.in(1).constant.empty()) {
      packed_.resize(static_cast<size_t>(g_.columns * row_));
      PackColumns(spec.in(1).constant.data(), packed_);
    }
  }

  void Run(const std::vector<const IntTensor*>& inputs, IntTensor& out,
           NodeCounts& counts) const override {
    std::vector<T> a(static_cast<size_t>(g_.rows * row_)), b;
    if (packed_.empty()) b.resize(static_cast<size_t>(g_.columns * row_));
    std::vector<Acc> acc(static_cast<size_t>(g_.rows * g_.columns));
    for (int64_t batch = 0; batch < g_.batches; ++batch) {
      PackRows(inputs[0]->data.data() + batch * g_.rows * g_.terms, a);
      if (packed_.empty()) {
        PackColumns(inputs[1]->data.data() + (g_.shared ? 0 : batch) * g_.terms * g_.columns, b);
      }
      DotProducts(a.data(), g_.rows, packed_.empty() ? b.data() : packed_.data(), g_.columns, row_,
                  acc.data());
      for (int64_t i = 0; i < g_.rows; ++i) {
        FinishRow(batch * g_.rows + i, acc.data() + i * g_.columns, out, counts);
      }
    }
  }

 private:
  void PackRows(const int32_t* a, std::vector<T>& rows) const {
    for (int64_t i = 0; i < g_.rows; ++i) {
      for (int64_t k = 0; k < g_.terms; ++k) {
        rows[static_cast<size_t>(i * row_ + k)] = static_cast<T>(a[i * g_.terms + k] - a_zero_);
      }
    }
  }
  void PackColumns(const int32_t* b, std::vector<T>& columns) const {
    for (int64_t k = 0; k < g_.terms; ++k) {
      for (int64_t j = 0; j < g_.columns; ++j) {
        columns[static_cast<size_t>(j * row_ + k)] =
            static_cast<T>(b[k * g_.columns + j] - b_zero_);
      }
    }
  }

  int64_t row_;            // elements of a padded row
  std::vector<T> packed_;  // of a constant b
};

}  // namespace

KernelPtr MakeKernel(const KernelSpec& spec, const IntMatMul& params) {
  if (spec.kernels == Kernels::kDirect) return std::make_unique<DirectMatMul>(spec, params);
  const int64_t terms = Geometry(spec).terms;
  if (SumsFitInt32(OperandRangeOf(spec.in(0)), OperandRangeOf(spec.in(1)), terms)) {
    return std::make_unique<FastMatMul<int16_t, int32_t>>(spec, params);
  }
  return std::make_unique<FastMatMul<int32_t, int64_t>>(spec, params);
}

}  // namespace bw::golden
