// Independent work items on a few threads.
#ifndef SIM_COSIM_PARALLEL_H_
#define SIM_COSIM_PARALLEL_H_

#include <cstddef>
#include <functional>

namespace bw::cosim {

// Calls work(i) for every i < count, each once, from up to `threads` threads at once.
void ParallelFor(size_t count, int threads, const std::function<void(size_t)>& work);

}  // namespace bw::cosim

#endif  // SIM_COSIM_PARALLEL_H_
