#include "compiler/codegen/plan_context.h"

namespace bw::codegen {

namespace {

std::vector<Slots> Place(schedule::GapAllocator gaps, const std::vector<SlotRequest>& requests,
                         uint64_t align, uint64_t* end) {
  std::vector<Slots> placed(requests.size());
  for (size_t i = 0; i < requests.size(); ++i) {
    for (int64_t n = 0; n < requests[i].count; ++n) {
      const auto at = gaps.Take(requests[i].bytes, requests[i].headroom, align);
      if (!at) return {};
      placed[i].push_back(*at);
    }
  }
  *end = gaps.cursor();
  return placed;
}

}  // namespace

std::vector<Slots> PlaceSlots(const PlanContext& context, const std::vector<SlotRequest>& requests,
                              uint64_t* end) {
  const auto align = static_cast<uint64_t>(context.config.spm_bank_bytes);
  std::vector<Slots> placed = Place(context.gaps, requests, align, end);
  if (!placed.empty() || requests.empty()) return placed;
  // Starting in the middle can break up the one gap that would do.
  schedule::GapAllocator from_bottom = context.gaps;
  from_bottom.Rewind();
  return Place(from_bottom, requests, align, end);
}

uint64_t TotalBytes(const std::vector<SlotRequest>& requests) {
  uint64_t bytes = 0;
  for (const SlotRequest& r : requests) bytes += r.bytes * static_cast<uint64_t>(r.count);
  return bytes;
}

View StagedView(const Box& box, const std::vector<int>& order, int container, bool is_signed,
                uint64_t byte) {
  View view{isa::Memory::kSpm, 0, DenseLayout(box.extent, order, container).strides, container,
            is_signed};
  view.base = static_cast<int64_t>(byte) * 8 - view.At(box.first);
  return view;
}

uint64_t StagedBytes(const Index& extent, const std::vector<int>& order, int container) {
  return DenseLayout(extent, order, container).bytes();
}

}  // namespace bw::codegen
