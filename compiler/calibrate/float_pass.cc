#include "compiler/calibrate/float_pass.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <thread>

#include "models/float_ref/executor.h"

namespace bw::calibrate {
namespace {

// Not-a-number spoils a range for good: no comparison with it holds.
void Include(double v, Range& range) {
  if (v < range.min) range.min = v;
  if (v > range.max) range.max = v;
  if (std::isnan(v)) range.min = range.max = v;
}

// Eight running extremes instead of one, so that the loop vectorises.
template <typename T>
Range RangeOf(const T* data, int64_t elements) {
  constexpr int64_t kLanes = 8;
  T low[kLanes], high[kLanes], bad[kLanes] = {};  // `bad` stays 0 unless something is no number
  for (int64_t lane = 0; lane < kLanes; ++lane) low[lane] = high[lane] = data[0];
  const int64_t whole = elements / kLanes * kLanes;
  for (int64_t i = 0; i < whole; i += kLanes) {
    for (int64_t lane = 0; lane < kLanes; ++lane) {
      const T v = data[i + lane];
      low[lane] = v < low[lane] ? v : low[lane];
      high[lane] = v > high[lane] ? v : high[lane];
      bad[lane] = v == v ? bad[lane] : v;
    }
  }
  Range range{INFINITY, -INFINITY};
  for (int64_t i = whole; i < elements; ++i) Include(static_cast<double>(data[i]), range);
  for (int64_t lane = 0; lane < kLanes; ++lane) {
    for (const T v : {low[lane], high[lane]}) Include(static_cast<double>(v), range);
    if (bad[lane] != bad[lane]) Include(NAN, range);
  }
  return range;
}

Range RangeOf(const tensor::Tensor& tensor) {
  if (tensor.elements() == 0) return {0, 0};
  return tensor::VisitDType(tensor.dtype(), [&tensor](auto zero) {
    return RangeOf(tensor.data<decltype(zero)>(), tensor.elements());
  });
}

void Widen(const Range& seen, Range& range) {
  Include(seen.min, range);
  Include(seen.max, range);
}

// State that the threads share.
struct Shared {
  std::mutex mutex;
  std::atomic<size_t> next{0};
  std::atomic<bool> stop{false};
  size_t done = 0;
  size_t failed_sample = 0;
  Errors errors;  // of the failed sample with the smallest index
  FloatPass pass;
};

void Worker(const graph::Graph& graph, size_t samples, const SampleSource& source,
            const FloatPassOptions& options, Shared& shared) {
  const float_ref::FloatExecutor executor(graph);
  std::map<graph::ValueId, Range> ranges;
  const auto observe = [&ranges](graph::ValueId id, const tensor::Tensor& tensor) {
    const Range seen = RangeOf(tensor);
    const auto [at, fresh] = ranges.emplace(id, seen);
    if (!fresh) Widen(seen, at->second);
  };
  const auto run = [&](size_t i) -> Result<std::vector<tensor::Tensor>> {
    BW_ASSIGN_OR_RETURN(const std::vector<tensor::Tensor> inputs, source(i));
    return options.keep_ranges ? executor.Run(inputs, observe) : executor.Run(inputs);
  };
  while (!shared.stop) {
    const size_t i = shared.next++;
    if (i >= samples) break;
    auto outputs = run(i);
    const std::lock_guard<std::mutex> lock(shared.mutex);
    if (!outputs.ok()) {
      if (shared.errors.empty() || i < shared.failed_sample) {
        shared.errors = outputs.errors();
        shared.failed_sample = i;
      }
      shared.stop = true;
      break;
    }
    if (options.keep_outputs) shared.pass.outputs[i] = std::move(outputs).value();
    ++shared.done;
    if (options.progress) options.progress(shared.done);
  }
  const std::lock_guard<std::mutex> lock(shared.mutex);
  for (const auto& [id, range] : ranges) {
    const auto [at, fresh] = shared.pass.ranges.emplace(graph.value(id).name, range);
    if (!fresh) Widen(range, at->second);
  }
}

}  // namespace

Result<FloatPass> RunFloatPass(const graph::Graph& graph, size_t samples,
                               const SampleSource& source, const FloatPassOptions& options) {
  Shared shared;
  if (options.keep_outputs) shared.pass.outputs.resize(samples);
  const auto wanted = static_cast<size_t>(std::max(options.threads, 1));
  std::vector<std::thread> threads;
  for (size_t t = 1; t < std::min(wanted, samples); ++t) {
    threads.emplace_back([&] { Worker(graph, samples, source, options, shared); });
  }
  Worker(graph, samples, source, options, shared);
  for (std::thread& thread : threads) thread.join();
  if (!shared.errors.empty()) return shared.errors;
  return std::move(shared.pass);
}

}  // namespace bw::calibrate
