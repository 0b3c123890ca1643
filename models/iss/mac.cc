#include <algorithm>
#include <cstdlib>
#include <vector>

#include "models/arith/accumulate.h"
#include "models/iss/mac_operands.h"
#include "models/iss/state.h"

namespace bw::iss {
namespace {

// Values that the short form holds: 8-bit containers less a zero point have |v| <= 383. A block of
// 8192 products of up to 511 * 511 stays below 2^31.
constexpr int64_t kShortLimit = 511;
constexpr size_t kBlock = 8192;

int64_t Dot(const int16_t* a, const int16_t* b, size_t count) {
  int64_t sum = 0;
  while (count > 0) {
    const size_t block = std::min(count, kBlock);
    int32_t part = 0;
    for (size_t k = 0; k < block; ++k) part += a[k] * b[k];
    sum += part;
    a += block;
    b += block;
    count -= block;
  }
  return sum;
}

// Modulo 2^64, which the wrap to acc_bits commutes with.
int64_t Dot(const int64_t* a, const int64_t* b, size_t count) {
  uint64_t sum = 0;
  for (size_t k = 0; k < count; ++k) {
    sum += static_cast<uint64_t>(a[k]) * static_cast<uint64_t>(b[k]);
  }
  return static_cast<int64_t>(sum);
}

// What the accumulators of outputs start from.
class Start {
 public:
  Start(const isa::MacDescriptor& d, const State& state) : d_(d), state_(state) {
    if (d.init != isa::AccInit::kBias) return;
    bias_.resize(static_cast<size_t>(d.n));
    ReadRow(state.spm.data(), int64_t{d.bias_byte} * 8, 32, d.n, {32, true}, 0, bias_.data());
  }
  int64_t Of(int64_t n, int64_t entry) const {
    if (d_.init == isa::AccInit::kZero) return 0;
    return d_.init == isa::AccInit::kBias ? bias_[static_cast<size_t>(n)]
                                          : state_.acc[static_cast<size_t>(entry)];
  }

 private:
  const isa::MacDescriptor& d_;
  const State& state_;
  std::vector<int64_t> bias_;
};

void Accumulate(State& state, int64_t entry, int64_t start, int64_t sum) {
  const int64_t total = arith::WrappingAdd(start, sum);
  const int64_t wrapped = arith::WrapToBits(total, static_cast<int>(state.config.acc_bits));
  state.acc_wraps += static_cast<uint64_t>(wrapped != total);
  state.acc[static_cast<size_t>(entry)] = wrapped;
}

template <typename Visit>
void ForEachOutput(const isa::MacDescriptor& d, Visit visit) {
  for (int64_t m1 = 0; m1 < d.m1; ++m1) {
    for (int64_t m0 = 0; m0 < d.m0; ++m0) {
      visit(m0, m1, int64_t{d.acc} + m0 * d.cm0 + m1 * d.cm1);
    }
  }
}

// Gathers the row of A that belongs to an output, zeros where it is outside, then one dot product
// for each n.
template <typename T>
void RunDense(const isa::MacDescriptor& d, const std::vector<T>& b, State& state) {
  const Start start(d, state);
  const auto length = static_cast<size_t>(d.k2 * d.k1 * d.k0);
  std::vector<T> a(length);
  ForEachOutput(d, [&](int64_t m0, int64_t m1, int64_t entry) {
    std::fill(a.begin(), a.end(), T{0});
    ForEachTap(d, m0, m1, [&](int64_t tap, int64_t bit) {
      ReadRow(state.spm.data(), bit, d.ak0, d.k0, d.a, d.a_zero_point, a.data() + tap * d.k0);
    });
    for (int64_t n = 0; n < d.n; ++n) {
      const int64_t sum = Dot(a.data(), b.data() + static_cast<size_t>(n) * length, length);
      Accumulate(state, entry + n, start.Of(n, entry + n), sum);
    }
  });
}

void RunDepthwise(const isa::MacDescriptor& d, const std::vector<int64_t>& b, State& state) {
  const Start start(d, state);
  std::vector<int64_t> a(static_cast<size_t>(d.n)), sum(a.size());
  ForEachOutput(d, [&](int64_t m0, int64_t m1, int64_t entry) {
    std::fill(sum.begin(), sum.end(), 0);
    ForEachTap(d, m0, m1, [&](int64_t tap, int64_t bit) {
      ReadRow(state.spm.data(), bit, d.an, d.n, d.a, d.a_zero_point, a.data());
      const int64_t* row = b.data() + tap * d.n;
      // |a| < 2^17, |b| < 2^33: products and sums of a kernel stay far below 2^63.
      for (size_t n = 0; n < a.size(); ++n) sum[n] = arith::WrappingAdd(sum[n], a[n] * row[n]);
    });
    for (int64_t n = 0; n < d.n; ++n) {
      Accumulate(state, entry + n, start.Of(n, entry + n), sum[static_cast<size_t>(n)]);
    }
  });
}

bool IsShort(const isa::MacDescriptor& d, const std::vector<int64_t>& b) {
  return d.a.bits <= 8 &&
         std::all_of(b.begin(), b.end(), [](int64_t v) { return std::abs(v) <= kShortLimit; });
}

}  // namespace

void RunMac(const isa::MacDescriptor& d, State& state) {
  const std::vector<int64_t> b = GatherB(d, state);
  if (d.depthwise) {
    RunDepthwise(d, b, state);
  } else if (IsShort(d, b)) {
    RunDense(d, std::vector<int16_t>(b.begin(), b.end()), state);
  } else {
    RunDense(d, b, state);
  }
  if (state.observer != nullptr) ObserveMac(d, *state.observer);
}

}  // namespace bw::iss
