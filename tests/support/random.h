// Seeded numbers that are the same on every machine and library.
#ifndef TESTS_SUPPORT_RANDOM_H_
#define TESTS_SUPPORT_RANDOM_H_

#include <cstdint>
#include <random>
#include <vector>

namespace bw::testing {

class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}

  // lo..hi, both included.
  int64_t In(int64_t lo, int64_t hi) {
    return lo + static_cast<int64_t>(engine_() % (static_cast<uint64_t>(hi - lo) + 1));
  }
  bool Flip() { return (engine_() & 1) != 0; }
  template <typename T>
  T Pick(const std::vector<T>& choices) {
    return choices[engine_() % choices.size()];
  }
  uint8_t Byte() { return static_cast<uint8_t>(engine_()); }

 private:
  std::mt19937_64 engine_;
};

}  // namespace bw::testing

#endif  // TESTS_SUPPORT_RANDOM_H_
