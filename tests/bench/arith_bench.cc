// Requantise in every mode beside gemmlowp's own multiply (the two roundings of TFLite), on the
// same accumulators in the same run. Items are results.
#include <benchmark/benchmark.h>
#include <gemmlowp/fixedpoint/fixedpoint.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "models/arith/eltwise.h"
#include "models/arith/requantise.h"

namespace bw::arith {
namespace {

constexpr int kCount = 4096;
constexpr double kScale = 0.0037;  // S = 39 at B = 31

std::vector<int32_t> Accumulators() {
  std::mt19937 engine(1);
  std::vector<int32_t> x(kCount);
  for (int32_t& v : x) v = static_cast<int32_t>(engine() % 60000) - 30000;
  return x;
}

void RunRequantise(benchmark::State& state, Rounding mode) {
  const std::vector<int32_t> x = Accumulators();
  std::vector<int8_t> y(kCount);
  const Requant r = MakeRequant(Decompose(kScale, 31, ScaleRule::kNearest), 3, -128, 127);
  for (auto _ : state) {
    for (size_t i = 0; i < kCount; ++i) y[i] = static_cast<int8_t>(Requantise(x[i], r, mode));
    benchmark::DoNotOptimize(y.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * kCount);
}

template <Rounding kMode>
void RequantiseFixedMode(benchmark::State& state) {
  const std::vector<int32_t> x = Accumulators();
  std::vector<int8_t> y(kCount);
  const Requant r = MakeRequant(Decompose(kScale, 31, ScaleRule::kNearest), 3, -128, 127);
  for (auto _ : state) {
    for (size_t i = 0; i < kCount; ++i) y[i] = static_cast<int8_t>(RequantiseAs<kMode>(x[i], r));
    benchmark::DoNotOptimize(y.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * kCount);
}

void Gemmlowp(benchmark::State& state) {
  const std::vector<int32_t> x = Accumulators();
  std::vector<int8_t> y(kCount);
  const FixedScale scale = Decompose(kScale, 31, ScaleRule::kNearest);
  const auto m = static_cast<int32_t>(scale.m);
  const int right = scale.s - 31;
  for (auto _ : state) {
    for (size_t i = 0; i < kCount; ++i) {
      const int32_t v = gemmlowp::RoundingDivideByPOT(
          gemmlowp::SaturatingRoundingDoublingHighMul(x[i], m), right);
      y[i] = static_cast<int8_t>(std::clamp(v + 3, -128, 127));
    }
    benchmark::DoNotOptimize(y.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * kCount);
}

void AddTwoStages(benchmark::State& state) {
  const std::vector<int32_t> x = Accumulators();
  std::vector<int8_t> y(kCount);
  const EltwiseAddPlan plan =
      MakeEltwiseAdd(0.0042, 0.0061, 0.0076, 8, 15, true, 16, 16, ScaleRule::kNearest);
  const Requant r = MakeRequant(plan.out.scale, 0, -127, 127);
  for (auto _ : state) {
    for (size_t i = 0; i < kCount; ++i) {
      const int64_t t =
          AddAligned(x[i] % 128, x[kCount - 1 - i] % 128, plan.add, Rounding::kHalfUp);
      y[i] = static_cast<int8_t>(Requantise(t, r, Rounding::kHalfUp));
    }
    benchmark::DoNotOptimize(y.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * kCount);
}

BENCHMARK_CAPTURE(RunRequantise, floor, Rounding::kFloor);
BENCHMARK_CAPTURE(RunRequantise, truncate, Rounding::kTruncate);
BENCHMARK_CAPTURE(RunRequantise, half_up, Rounding::kHalfUp);
BENCHMARK_CAPTURE(RunRequantise, half_away, Rounding::kHalfAway);
BENCHMARK_CAPTURE(RunRequantise, half_even, Rounding::kHalfEven);
BENCHMARK_CAPTURE(RunRequantise, double, Rounding::kDouble);
BENCHMARK_TEMPLATE(RequantiseFixedMode, Rounding::kHalfUp);
BENCHMARK_TEMPLATE(RequantiseFixedMode, Rounding::kDouble);
BENCHMARK(Gemmlowp);
BENCHMARK(AddTwoStages);

}  // namespace
}  // namespace bw::arith
