// Random float networks for the integer path.
#ifndef TESTS_CONFORMANCE_RANDOM_NETWORK_H_
#define TESTS_CONFORMANCE_RANDOM_NETWORK_H_

#include <cstdint>

#include "tests/conformance/stress_network.h"

namespace bw::conformance {

// A network of 3 to 10 operators of every class, with values read again later, several outputs,
// and ranks 2 to 5. The same seed makes the same network.
StressNetwork RandomNetwork(uint32_t seed);

}  // namespace bw::conformance

#endif  // TESTS_CONFORMANCE_RANDOM_NETWORK_H_
