#include "sim/sysc/transfer_walker.h"

#include <algorithm>

#include "models/status/check.h"

namespace bw::sysc {

TransferWalker::TransferWalker(const isa::TransferDescriptor& transfer)
    : transfer_(transfer),
      dram_bit_(static_cast<int64_t>(transfer.dram_bit)),
      local_bit_(static_cast<int64_t>(transfer.local_bit)),
      done_(false) {
  FindOuterInside();
}

void TransferWalker::FindOuterInside() {
  outer_inside_ = true;
  for (size_t i = 1; i < isa::kCounters; ++i) {
    outer_inside_ &= counter_[i] >= transfer_.lo[i] && counter_[i] < transfer_.hi[i];
  }
}

int64_t TransferWalker::Stretch() const {
  const int64_t at = counter_[0];
  const int64_t end = transfer_.count[0];
  if (!outer_inside_) return end - at;
  if (at < transfer_.lo[0]) return std::min(transfer_.lo[0], end) - at;
  if (at < transfer_.hi[0]) return std::min(transfer_.hi[0], end) - at;
  return end - at;
}

void TransferWalker::Advance(int64_t elements) {
  BW_CHECK(!done_ && elements <= Stretch(), "{} elements of {}", elements, Stretch());
  counter_[0] += elements;
  dram_bit_ += elements * transfer_.dram_stride[0];
  local_bit_ += elements * transfer_.local_stride[0];
  if (counter_[0] == transfer_.count[0]) NextRun();
}

void TransferWalker::NextRun() {
  for (size_t i = 0;; ++i) {
    dram_bit_ -= transfer_.count[i] * transfer_.dram_stride[i];
    local_bit_ -= transfer_.count[i] * transfer_.local_stride[i];
    counter_[i] = 0;
    if (i + 1 == isa::kCounters) {
      done_ = true;
      return;
    }
    dram_bit_ += transfer_.dram_stride[i + 1];
    local_bit_ += transfer_.local_stride[i + 1];
    if (++counter_[i + 1] < transfer_.count[i + 1]) break;
  }
  FindOuterInside();
}

}  // namespace bw::sysc
