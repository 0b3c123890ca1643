#include "sim/cosim/parallel.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace bw::cosim {

void ParallelFor(size_t count, int threads, const std::function<void(size_t)>& work) {
  std::atomic<size_t> next{0};
  const auto worker = [&] {
    for (size_t i = next++; i < count; i = next++) work(i);
  };
  std::vector<std::thread> others;
  const size_t wanted = std::min(count, static_cast<size_t>(std::max(threads, 1)));
  for (size_t t = 1; t < wanted; ++t) others.emplace_back(worker);
  worker();
  for (std::thread& thread : others) thread.join();
}

}  // namespace bw::cosim
