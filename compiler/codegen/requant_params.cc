#include "compiler/codegen/requant_params.h"

namespace bw::codegen {

isa::PpuParam MakePpuParam(const arith::Requant& positive, const arith::Requant* negative) {
  isa::PpuParam param;
  param.m = positive.m;
  param.s = positive.s;
  param.zp = positive.zp;
  param.lo = positive.lo;
  param.hi = positive.hi;
  if (negative != nullptr) {
    param.m2 = negative->m;
    param.s2 = negative->s;
  }
  return param;
}

std::vector<isa::PpuParam> MakePpuParams(const graph::RequantSet& set, int64_t first,
                                         int64_t count) {
  if (!PerChannel(set)) first = 0, count = 1;
  std::vector<isa::PpuParam> made;
  for (int64_t i = first; i < first + count; ++i) {
    const auto k = static_cast<size_t>(i);
    made.push_back(MakePpuParam(set.entries[k], set.negative.empty() ? nullptr : &set.negative[k]));
  }
  return made;
}

}  // namespace bw::codegen
