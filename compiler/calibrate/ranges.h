// What calibration found out about the float network.
#ifndef COMPILER_CALIBRATE_RANGES_H_
#define COMPILER_CALIBRATE_RANGES_H_

#include <map>
#include <string>

namespace bw::calibrate {

// Smallest and largest value seen, in real units.
struct Range {
  double min = 0, max = 0;
  double MaxAbs() const { return -min > max ? -min : max; }
};

// By the name of the float graph's value.
using Ranges = std::map<std::string, Range>;

}  // namespace bw::calibrate

#endif  // COMPILER_CALIBRATE_RANGES_H_
