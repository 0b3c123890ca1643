// Softmax in integers (METHODS.md B6): maximum subtracted, exponentials from a table, one exact
// division for every result.
#ifndef MODELS_ARITH_SOFTMAX_H_
#define MODELS_ARITH_SOFTMAX_H_

#include <algorithm>
#include <cstdint>
#include <vector>

namespace bw::arith {

// round(exp(-d * scale) * 2^24) for d = 0, 1, ...: at most `entries` of them, ended by the first 0
// (which stands for all that follow). scale > 0 is the input's real value of one step.
std::vector<int32_t> MakeExpTable(double scale, int64_t entries);

// Along one row of n elements: e_i = table[max - x_i], y_i = clip(nearest(e_i * one / sum), lo, hi)
// with ties up: floor((2 * e_i * one + sum) / (2 * sum)). Distances beyond the table count as its
// last entry. n >= 1; table[0] > 0, all entries in 0..2^24; 0 <= one < 2^31; n < 2^30. `x` and
// `out` advance by `step`. Worked: table {4, 2, 1}, one 100, x {7, 6, 5}: e 4, 2, 1, sum 7 -> 57,
// 29, 14.
inline void IntSoftmax(const int32_t* x, int64_t n, int64_t step, const std::vector<int32_t>& table,
                       int64_t one, int64_t lo, int64_t hi, int32_t* out) {
  int64_t top = x[0];
  for (int64_t i = 1; i < n; ++i) top = std::max<int64_t>(top, x[i * step]);
  const auto last = static_cast<int64_t>(table.size()) - 1;
  const auto e = [&](int64_t i) -> int64_t {
    return table[static_cast<size_t>(std::min(top - x[i * step], last))];
  };
  int64_t sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += e(i);
  for (int64_t i = 0; i < n; ++i) {
    const int64_t nearest = (2 * e(i) * one + sum) / (2 * sum);  // both positive: / is floor
    out[i * step] = static_cast<int32_t>(std::clamp(nearest, lo, hi));
  }
}

}  // namespace bw::arith

#endif  // MODELS_ARITH_SOFTMAX_H_
