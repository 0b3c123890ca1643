#include <cstring>

#include "compiler/isa/descriptor.h"

namespace bw::isa {
namespace {

template <typename T>
T Load(const uint8_t* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

template <typename T>
void Store(int64_t value, uint8_t* at) {
  const auto narrow = static_cast<T>(value);
  BW_CHECK(static_cast<int64_t>(narrow) == value, "{} in {} bytes", value, sizeof narrow);
  std::memcpy(at, &narrow, sizeof narrow);
}

}  // namespace

PpuParam ReadPpuParam(const uint8_t* bytes) {
  PpuParam param;
  param.m = Load<uint32_t>(bytes);
  param.m2 = Load<uint32_t>(bytes + 4);
  param.zp = Load<int32_t>(bytes + 8);
  param.lo = Load<int32_t>(bytes + 12);
  param.hi = Load<int32_t>(bytes + 16);
  param.s = Load<int8_t>(bytes + 20);
  param.s2 = Load<int8_t>(bytes + 21);
  return param;
}

void WritePpuParam(const PpuParam& param, uint8_t* bytes) {
  BW_CHECK(IsValid(param), "m {} s {} m2 {} s2 {} lo {} hi {}", param.m, param.s, param.m2,
           param.s2, param.lo, param.hi);
  Store<uint32_t>(param.m, bytes);
  Store<uint32_t>(param.m2, bytes + 4);
  Store<int32_t>(param.zp, bytes + 8);
  Store<int32_t>(param.lo, bytes + 12);
  Store<int32_t>(param.hi, bytes + 16);
  Store<int8_t>(param.s, bytes + 20);
  Store<int8_t>(param.s2, bytes + 21);
  Store<uint16_t>(0, bytes + 22);
}

}  // namespace bw::isa
