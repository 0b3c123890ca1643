// Random networks through the integer path.
#include "tests/conformance/random_network.h"

#include <cstdlib>

namespace bw::conformance {
namespace {

// BW_RANDOM_FIRST and BW_RANDOM_COUNT choose other seeds.
int64_t Setting(const char* name, int64_t value) {
  const char* text = std::getenv(name);
  return text == nullptr ? value : std::atoll(text);
}

TEST(RandomNetworks, AreNearFloatAndTheMachinesAgree) {
  const int64_t first = Setting("BW_RANDOM_FIRST", 1), count = Setting("BW_RANDOM_COUNT", 60);
  for (int64_t seed = first; seed < first + count && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    StressOptions options;
    constexpr int kBits[] = {8, 4, 12, 8, 6, 10, 5};
    options.bits = {kBits[static_cast<size_t>(seed) % std::size(kBits)]};
    options.machines = {seed % 2 == 0 ? "tiny" : "edge"};
    options.allow = Allow::kWorstCase;
    ExpectIntPath(RandomNetwork(static_cast<uint32_t>(seed)), options);
  }
}

}  // namespace
}  // namespace bw::conformance
