// Who wrote and read each place of a memory last.
#ifndef MODELS_ISS_SHADOW_MEMORY_H_
#define MODELS_ISS_SHADOW_MEMORY_H_

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>

#include "compiler/isa/instruction.h"

namespace bw::iss {

// Times are 1-based counts of a queue's instructions; 0 is never.
struct LastAccess {
  uint32_t write_time = 0;
  uint32_t write_queue = 0;
  std::array<uint32_t, isa::kQueues> read_time{};
};

// Allocated a page at a time, as DRAM is large and mostly untouched.
class ShadowMemory {
 public:
  static constexpr uint64_t kPage = 4096;  // places

  // Calls visit(place, LastAccess&) for begin <= place < end.
  template <typename Visit>
  void ForEach(uint64_t begin, uint64_t end, Visit visit) {
    for (uint64_t at = begin; at < end;) {
      LastAccess* page = Page(at / kPage);
      const uint64_t stop = at / kPage == end / kPage ? end : (at / kPage + 1) * kPage;
      for (; at < stop; ++at) visit(at, page[at % kPage]);
    }
  }
  void Clear() {
    pages_.clear();
    last_ = nullptr;
  }

 private:
  LastAccess* Page(uint64_t number) {
    if (last_ != nullptr && last_number_ == number) return last_;
    auto& page = pages_[number];
    if (page == nullptr) page = std::make_unique<std::array<LastAccess, kPage>>();
    last_ = page->data();
    last_number_ = number;
    return last_;
  }

  std::unordered_map<uint64_t, std::unique_ptr<std::array<LastAccess, kPage>>> pages_;
  LastAccess* last_ = nullptr;
  uint64_t last_number_ = 0;
};

}  // namespace bw::iss

#endif  // MODELS_ISS_SHADOW_MEMORY_H_
