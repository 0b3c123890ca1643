#include "sim/sysc/mac_blocks.h"

#include <algorithm>

#include "sim/timing/timing.h"

namespace bw::sysc {

void MacBlockSource::Configure(const hwconfig::HwConfig& config) {
  rows_ = static_cast<int>(config.array_rows);
  cols_ = static_cast<int>(config.array_cols);
  operation_ = nullptr;
}

void MacBlockSource::Start(const MacOperation& operation) {
  operation_ = &operation;
  n_ = pixel_ = k0_ = k1_ = k2_ = 0;
}

void MacBlockSource::TakeSegment(MacBlock& block, int rows) {
  const isa::MacDescriptor& d = operation_->d;
  const auto count = static_cast<int>(std::min<int64_t>(rows, d.k0 - k0_));
  KSegment segment;
  segment.a = k0_ * d.ak0 + k1_ * d.ak1 + k2_ * d.ak2;
  segment.b = k0_ * d.bk0 + k1_ * d.bk1 + k2_ * d.bk2;
  segment.x = k1_ * d.xk;
  segment.y = k2_ * d.yk;
  segment.row = block.k_count;
  segment.count = count;
  block.segments.push_back(segment);
  block.k_count += count;
  k0_ += count;
  if (k0_ < d.k0) return;
  k0_ = 0;
  if (++k1_ < d.k1) return;
  k1_ = 0;
  ++k2_;
}

void MacBlockSource::TakeSegments(MacBlock& block) {
  const isa::MacDescriptor& d = operation_->d;
  const bool pack = d.pack && !d.depthwise;
  block.segments.clear();
  block.k_count = 0;
  do {
    TakeSegment(block, rows_ - block.k_count);
  } while (pack && block.k_count < rows_ && k2_ < d.k2);
}

void MacBlockSource::PrepareLoads(MacBlock& block) const {
  const isa::MacDescriptor& d = operation_->d;
  // Where weights lie closer along k than along n, the block is loaded by columns.
  block.by_column = !d.depthwise && d.bn != d.b.bits && d.bk0 == d.b.bits && d.n > 1;
  const int64_t accesses = block.by_column ? block.n_count : block.k_count;
  block.loads =
      static_cast<int>(timing::BlockPrologueAccesses(block.LoadsBias(), block.LoadsZeroPoints()) +
                       timing::WeightLoadAccesses(accesses));
  block.issued = block.loaded = 0;
  block.pitch = MacPitch(cols_);
  const auto size = static_cast<size_t>(block.pitch) * static_cast<size_t>(rows_);
  if (operation_->narrow) {
    block.narrow.assign(size, 0);
  } else {
    block.wide.assign(size, 0);
  }
  block.pixels_issued = block.pixels_loaded = 0;
  if (operation_->output_stationary) {
    block.activations.assign(static_cast<size_t>(rows_) * static_cast<size_t>(rows_), 0);
  }
}

void MacBlockSource::Next(MacBlock& block) {
  const isa::MacDescriptor& d = operation_->d;
  block.operation = operation_;
  block.n_first = n_;
  block.n_count = static_cast<int>(std::min<int64_t>(cols_, d.n - n_));
  block.first_k = k0_ == 0 && k1_ == 0 && k2_ == 0;
  block.first_of_channels = block.first_k && pixel_ == 0;
  block.pixel_first = pixel_;
  block.pixel_count = operation_->output_stationary
                          ? std::min<int64_t>(rows_, operation_->pixels() - pixel_)
                          : operation_->pixels();
  TakeSegments(block);
  block.last_k = k2_ == d.k2;
  PrepareLoads(block);
  block.last = false;
  if (!block.last_k) return;
  k2_ = 0;
  pixel_ += block.pixel_count;
  if (pixel_ < operation_->pixels()) return;
  pixel_ = 0;
  n_ += block.n_count;
  if (n_ < d.n) return;
  block.last = true;
  operation_ = nullptr;
}

}  // namespace bw::sysc
