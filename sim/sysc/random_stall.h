// Random stalls of rings and ports, to show that no value depends on timing.
#ifndef SIM_SYSC_RANDOM_STALL_H_
#define SIM_SYSC_RANDOM_STALL_H_

#include <cstdint>

namespace bw::sysc {

// A pure function of seed, stall point and cycle, so that it does not depend on who asks first.
class RandomStall {
 public:
  RandomStall() = default;  // never stalls
  RandomStall(uint64_t seed, uint64_t point)
      : key_(seed == 0 ? 0 : Mix(seed * 0x9e3779b97f4a7c15U + point) | 1),
        threshold_(seed == 0 ? 0 : Mix(key_) % 96) {}

  // Stalls in up to 3 of 8 cycles; each point has a rate of its own.
  bool At(uint64_t now) const { return key_ != 0 && Mix(key_ + now * 2) % 256 < threshold_; }

 private:
  static uint64_t Mix(uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31);
  }

  uint64_t key_ = 0;
  uint64_t threshold_ = 0;
};

}  // namespace bw::sysc

#endif  // SIM_SYSC_RANDOM_STALL_H_
