#include "compiler/codegen/constant_pool.h"

#include <algorithm>

#include "models/tensor/bitpack.h"

namespace bw::codegen {
namespace {

constexpr uint64_t kAlign = 64;  // no burst is split that need not be

uint64_t Fnv1a(const std::vector<uint8_t>& bytes) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const uint8_t byte : bytes) hash = (hash ^ byte) * 0x100000001b3;
  return hash;
}

}  // namespace

uint64_t ConstantPool::Add(std::vector<uint8_t> bytes) {
  const uint64_t hash = Fnv1a(bytes);
  const auto [begin, end] = known_.equal_range(hash);
  for (auto it = begin; it != end; ++it) {
    const auto [offset, size] = it->second;
    if (size == bytes.size() &&
        std::equal(bytes.begin(), bytes.end(), bytes_.begin() + static_cast<int64_t>(offset))) {
      return first_byte_ + offset;
    }
  }
  const uint64_t at = (first_byte_ + bytes_.size() + kAlign - 1) / kAlign * kAlign;
  bytes_.resize(at - first_byte_);
  known_.emplace(hash, std::make_pair(at - first_byte_, bytes.size()));
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  return at;
}

uint64_t ConstantPool::AddPacked(const std::vector<int64_t>& values, int bits) {
  std::vector<uint8_t> bytes(tensor::PackedBytes(values.size(), bits));
  tensor::PackBits(values.data(), values.size(), bits, bytes.data());
  return Add(std::move(bytes));
}

uint64_t ConstantPool::AddParams(const std::vector<isa::PpuParam>& params) {
  std::vector<uint8_t> bytes(params.size() * isa::kPpuParamBytes);
  for (size_t i = 0; i < params.size(); ++i) {
    isa::WritePpuParam(params[i], bytes.data() + i * isa::kPpuParamBytes);
  }
  return Add(std::move(bytes));
}

}  // namespace bw::codegen
