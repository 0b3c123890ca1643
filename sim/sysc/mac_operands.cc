// The operand side of the MAC engine: addresses, and values at the array's edges.
#include <algorithm>

#include "sim/sysc/mac_engine.h"

namespace bw::sysc {
namespace {

// `count` values of 32 bits, as bias and zero points lie in the scratchpad.
constexpr int kVectorBits = 32;

template <typename T>
void Subtract(const SpmAccess& access, T zero_point, T* lanes) {
  if (zero_point == 0) return;
  for (int r = 0; r < access.runs; ++r) {
    const SpmAccess::Run& run = access.run[static_cast<size_t>(r)];
    for (unsigned i = 0; i < run.elements; ++i) lanes[run.lane + i] -= zero_point;
  }
}

}  // namespace

void MacEngine::IssueVector(const MacBlock& block, int64_t byte) {
  SpmAccess& access = b_port_.Next();
  access.Begin(false, kVectorBits);
  access.Add(static_cast<uint64_t>((byte + 4 * block.n_first) * 8), block.n_count, 0);
  b_port_.Issue();
}

// One access of the block that loads, or of the one after it.
void MacEngine::IssueWeights() {
  uint64_t number = loading_;
  while (number < made_ && Block(number).issued == Block(number).loads) ++number;
  if (number == made_ || number > entering_ + kBlocksAhead || !b_port_.HasSpace()) return;
  if (b_port_.Stalled()) {
    stalled_ = true;
    return;
  }
  MacBlock& block = Block(number);
  const isa::MacDescriptor& d = block.operation->d;
  int index = block.issued++;
  if (block.LoadsZeroPoints() && index-- == 0) return IssueVector(block, d.b_zero_point_byte);
  if (block.LoadsBias() && index-- == 0) return IssueVector(block, d.bias_byte);
  SpmAccess& access = b_port_.Next();
  access.Begin(false, d.b.bits);
  const auto base = static_cast<int64_t>(d.b_bit) + block.n_first * d.bn;
  for (const KSegment& segment : block.segments) {
    if (block.by_column) {
      access.AddStrided(base + segment.b + index * d.bn, d.bk0, segment.count, segment.row);
    } else if (index >= segment.row && index < segment.row + segment.count) {
      access.AddStrided(base + segment.b + (index - segment.row) * d.bk0, d.bn, block.n_count, 0);
      break;
    }
  }
  b_port_.Issue();
}

// Access `index` of the block has come back.
void MacEngine::KeepWeights(MacBlock& block, int index, const SpmAccess& access) {
  const isa::MacDescriptor& d = block.operation->d;
  if (index == 0 && block.first_of_channels && !d.b_zero_point_vector) {
    std::fill(zero_points_.begin(), zero_points_.end(), static_cast<int32_t>(d.b_zero_point));
  }
  if (block.LoadsZeroPoints() && index-- == 0) return access.Decode(true, zero_points_.data());
  if (block.LoadsBias() && index-- == 0) {
    block.bias.resize(static_cast<size_t>(block.pitch));
    return access.Decode(true, block.bias.data());
  }
  Lanes lanes;
  access.Decode(d.b.is_signed, lanes.data());
  const auto pitch = static_cast<size_t>(block.pitch);
  const auto fixed = static_cast<size_t>(index);
  const auto keep = [&](auto& weights) {
    using Weight = typename std::decay_t<decltype(weights)>::value_type;
    if (block.by_column) {
      for (size_t k = 0; k < static_cast<size_t>(block.k_count); ++k) {
        weights[k * pitch + fixed] = static_cast<Weight>(int64_t{lanes[k]} - zero_points_[fixed]);
      }
    } else {
      for (size_t n = 0; n < static_cast<size_t>(block.n_count); ++n) {
        weights[fixed * pitch + n] = static_cast<Weight>(int64_t{lanes[n]} - zero_points_[n]);
      }
    }
  };
  if (block.operation->narrow) {
    keep(block.narrow);
  } else {
    keep(block.wide);
  }
}

void MacEngine::TakeWeights() {
  if (loading_ == made_ || !b_port_.HasServed()) return;
  if (b_port_.Stalled()) {
    stalled_ = true;
    return;
  }
  MacBlock& block = Block(loading_);
  KeepWeights(block, block.loaded++, b_port_.Served());
  b_port_.Take();
  if (block.WeightsComplete()) ++loading_;
}

void MacEngine::LoadWeights() {
  TakeWeights();
  IssueWeights();
}

void MacEngine::AddActivations(const MacBlock& block, const Pixel& pixel, SpmAccess& access) const {
  const isa::MacDescriptor& d = block.operation->d;
  const int64_t base = static_cast<int64_t>(d.a_bit) + pixel.m0 * d.am0 + pixel.m1 * d.am1;
  const int64_t x = d.x0 + pixel.m0 * d.xm, y = d.y0 + pixel.m1 * d.ym;
  for (const KSegment& segment : block.segments) {
    const bool inside = x + segment.x >= 0 && x + segment.x < d.xlim && y + segment.y >= 0 &&
                        y + segment.y < d.ylim;
    if (!inside) continue;
    if (d.depthwise) {
      access.AddStrided(base + segment.a + block.n_first * d.an, d.an, block.n_count, 0);
    } else {
      access.AddStrided(base + segment.a, d.ak0, segment.count, segment.row);
    }
  }
}

// One vector of the block that takes activations. Where it lies outside the window it needs no
// access, but its place in the row all the same.
void MacEngine::IssueActivations() {
  if (issuing_ == made_ || !a_port_.HasSpace()) return;
  MacBlock& block = Block(issuing_);
  if (block.operation->output_stationary && issuing_ > entering_ + kBlocksAhead) return;
  if (a_port_.Stalled()) {
    stalled_ = true;
    return;
  }
  if (block.pixels_issued == 0) {
    issue_pixel_ = Pixel::At(block.pixel_first, block.operation->d);
  }
  SpmAccess& access = a_port_.Next();
  access.Begin(false, block.operation->d.a.bits);
  AddActivations(block, issue_pixel_, access);
  a_port_.Issue();
  issue_pixel_.Next(block.operation->d);
  if (++block.pixels_issued == block.pixel_count) ++issuing_;
}

// The oldest vector of A, minus its zero point; 0 where it lies outside.
void MacEngine::TakeActivations(const MacBlock& block, Lanes& lanes) {
  const isa::MacDescriptor& d = block.operation->d;
  const SpmAccess& access = a_port_.Served();
  const int needed = d.depthwise ? block.n_count : block.k_count;
  if (access.elements < needed) std::fill_n(lanes.begin(), needed, 0);
  access.Decode(d.a.is_signed, lanes.data());
  Subtract(access, static_cast<int32_t>(d.a_zero_point), lanes.data());
  a_port_.Take();
}

// Output stationary: activations go to the edge buffer of their block.
void MacEngine::GatherActivations() {
  if (!a_port_.HasServed()) return;
  uint64_t number = entering_;
  while (number < made_ && Block(number).pixels_loaded == Block(number).pixel_count) ++number;
  if (number == made_ || !Block(number).operation->output_stationary) return;
  if (a_port_.Stalled()) {
    stalled_ = true;
    return;
  }
  MacBlock& block = Block(number);
  Lanes lanes;
  TakeActivations(block, lanes);
  const auto rows = static_cast<size_t>(context_->config.array_rows);
  const auto pixel = static_cast<size_t>(block.pixels_loaded++);
  std::copy_n(lanes.begin(), block.k_count,
              block.activations.begin() + static_cast<int64_t>(pixel * rows));
}

}  // namespace bw::sysc
