#include "models/arith/softmax.h"

#include <cmath>

#include "models/arith/quantise.h"

namespace bw::arith {

std::vector<int32_t> MakeExpTable(double scale, int64_t entries) {
  std::vector<int32_t> table;
  for (int64_t d = 0; d < entries; ++d) {
    const double e = std::exp(-static_cast<double>(d) * scale);
    table.push_back(static_cast<int32_t>(RoundReal(std::ldexp(e, 24))));
    if (table.back() == 0) break;
  }
  return table;
}

}  // namespace bw::arith
