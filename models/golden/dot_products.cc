#include "models/golden/dot_products.h"

namespace bw::golden {
namespace {

constexpr int kRows = 2, kColumns = 4;  // results held in registers at once

template <int kM, int kN, typename T, typename Acc>
void Block(const T* a, const T* b, int64_t k, Acc* c, int64_t pitch) {
  Acc sum[kM][kN] = {};
  for (int64_t p = 0; p < k; ++p) {
    for (int i = 0; i < kM; ++i) {
      for (int j = 0; j < kN; ++j) {
        sum[i][j] += static_cast<Acc>(a[i * k + p]) * static_cast<Acc>(b[j * k + p]);
      }
    }
  }
  for (int i = 0; i < kM; ++i) {
    for (int j = 0; j < kN; ++j) c[i * pitch + j] = sum[i][j];
  }
}

template <int kM, typename T, typename Acc>
void Band(const T* a, const T* b, int64_t n, int64_t k, Acc* c) {
  int64_t j = 0;
  for (; j + kColumns <= n; j += kColumns) Block<kM, kColumns>(a, b + j * k, k, c + j, n);
  for (; j < n; ++j) Block<kM, 1>(a, b + j * k, k, c + j, n);
}

template <typename T, typename Acc>
void Product(const T* a, int64_t m, const T* b, int64_t n, int64_t k, Acc* c) {
  int64_t i = 0;
  for (; i + kRows <= m; i += kRows) Band<kRows>(a + i * k, b, n, k, c + i * n);
  for (; i < m; ++i) Band<1>(a + i * k, b, n, k, c + i * n);
}

}  // namespace

void DotProducts(const int16_t* a, int64_t m, const int16_t* b, int64_t n, int64_t k, int32_t* c) {
  Product(a, m, b, n, k, c);
}

void DotProducts(const int32_t* a, int64_t m, const int32_t* b, int64_t n, int64_t k, int64_t* c) {
  Product(a, m, b, n, k, c);
}

void MultiplyAdd(const int16_t* x, const int16_t* w, int64_t n, int32_t* acc) {
  for (int64_t i = 0; i < n; ++i) acc[i] += int32_t{x[i]} * w[i];
}

void MultiplyAdd(const int32_t* x, const int32_t* w, int64_t n, int64_t* acc) {
  for (int64_t i = 0; i < n; ++i) acc[i] += int64_t{x[i]} * w[i];
}

}  // namespace bw::golden
