#include "sim/cli/console.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <thread>

namespace bw::cli {

cosim::Progress TerminalProgress() {
  if (::isatty(STDERR_FILENO) == 0) return nullptr;
  using Clock = std::chrono::steady_clock;
  auto last = std::make_shared<Clock::time_point>();
  return [last](const std::string& stage, size_t done, size_t total) {
    const Clock::time_point now = Clock::now();
    if (done < total && now - *last < std::chrono::milliseconds(100)) return;
    *last = now;
    fmt::print(stderr, "\r\033[K{} {}/{}", stage, done, total);
    std::fflush(stderr);
  };
}

void ClearProgress() {
  if (::isatty(STDERR_FILENO) != 0) fmt::print(stderr, "\r\033[K");
}

int Cores() { return static_cast<int>(std::max(1U, std::thread::hardware_concurrency())); }

}  // namespace bw::cli
