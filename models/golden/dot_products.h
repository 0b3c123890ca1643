// The inner loops of the fast kernels: plain C++, written so that the compiler vectorises it.
#ifndef MODELS_GOLDEN_DOT_PRODUCTS_H_
#define MODELS_GOLDEN_DOT_PRODUCTS_H_

#include <cstdint>

namespace bw::golden {

// Rows are padded with zeros to a multiple of this many elements.
inline constexpr int64_t kRowAlign = 16;
constexpr int64_t PaddedRow(int64_t k) { return (k + kRowAlign - 1) / kRowAlign * kRowAlign; }

// c[i * n + j] = sum of a[i * k + p] * b[j * k + p] over p < k: a[m][k] times b[n][k] transposed.
// For 16-bit elements the caller has proved that no sum, in any order, leaves int32.
void DotProducts(const int16_t* a, int64_t m, const int16_t* b, int64_t n, int64_t k, int32_t* c);
void DotProducts(const int32_t* a, int64_t m, const int32_t* b, int64_t n, int64_t k, int64_t* c);

// acc[i] += x[i] * w[i], i < n.
void MultiplyAdd(const int16_t* x, const int16_t* w, int64_t n, int32_t* acc);
void MultiplyAdd(const int32_t* x, const int32_t* w, int64_t n, int64_t* acc);

}  // namespace bw::golden

#endif  // MODELS_GOLDEN_DOT_PRODUCTS_H_
