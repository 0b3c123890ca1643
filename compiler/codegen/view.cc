#include "compiler/codegen/view.h"

#include <cstdlib>
#include <numeric>

#include "models/status/check.h"

namespace bw::codegen {

int64_t Box::Elements() const {
  return std::accumulate(extent.begin(), extent.end(), int64_t{1}, std::multiplies<>());
}

Box WholeBox(const Index& extents) { return {Index(extents.size(), 0), extents}; }

int64_t View::At(const Index& index) const {
  BW_CHECK(index.size() == strides.size(), "index {} strides {}", index.size(), strides.size());
  int64_t at = base;
  for (size_t i = 0; i < index.size(); ++i) at += index[i] * strides[i];
  return at;
}

schedule::Access Touch(const View& view, const Box& box) {
  int64_t low = view.At(box.first), high = low;
  int64_t run = view.bits;  // bits without a gap, from the innermost axes
  int64_t pitch = 0;        // what all other axes are multiples of
  for (size_t i = 0; i < box.extent.size(); ++i) {
    const int64_t reach = (box.extent[i] - 1) * view.strides[i];
    (reach < 0 ? low : high) += reach;
    if (reach == 0) continue;
    if (view.strides[i] == view.bits) {
      run = box.extent[i] * view.bits;
    } else {
      pitch = std::gcd(pitch, std::abs(view.strides[i]));
    }
  }
  BW_CHECK(low >= 0, "first bit {}", low);
  schedule::Access access{view.memory, static_cast<uint64_t>(low) / 8,
                          (static_cast<uint64_t>(high + view.bits) + 7) / 8, 0, 0};
  if (low % 8 == 0 && pitch % 8 == 0 && run < pitch) {
    access.pitch = static_cast<uint64_t>(pitch) / 8;
    access.width = static_cast<uint64_t>(run + 7) / 8;
  }
  return access;
}

isa::Placement PlacementOf(const View& view, const Index& first) {
  isa::Placement placement;
  placement.base_bit = static_cast<uint64_t>(view.At(first));
  placement.strides = view.strides;
  placement.bits = view.bits;
  placement.is_signed = view.is_signed;
  return placement;
}

Layout DenseLayout(const Index& extents, const std::vector<int>& order, int element_bits) {
  Layout layout;
  layout.strides.assign(extents.size(), 0);
  int64_t step = element_bits;
  for (size_t i = order.size(); i-- > 0;) {
    const auto axis = static_cast<size_t>(order[i]);
    layout.strides[axis] = step;
    step *= extents[axis];
    if (i + 1 == order.size()) step = (step + 7) / 8 * 8;
  }
  layout.bits = step;
  return layout;
}

int ContainerBits(int value_bits) {
  BW_CHECK(value_bits >= 1 && value_bits <= 32, "value of {} bits", value_bits);
  for (const int bits : {4, 8, 16}) {
    if (value_bits <= bits) return bits;
  }
  return 32;
}

int64_t RowGranule(int element_bits) { return 8 / std::gcd(8, element_bits); }

std::vector<NestAxis> MergeAxes(const std::vector<NestAxis>& axes, size_t keep_inner) {
  std::vector<NestAxis> merged;  // innermost first
  for (size_t n = 0; n < axes.size(); ++n) {
    const NestAxis& axis = axes[axes.size() - 1 - n];
    if (n < keep_inner) {
      merged.push_back(axis);
      continue;
    }
    if (axis.extent == 1) continue;
    bool joins = merged.size() > keep_inner;
    for (size_t k = 0; joins && k < kOperands; ++k) {
      joins = axis.stride[k] == merged.back().stride[k] * merged.back().extent;
    }
    if (joins) {
      merged.back().extent *= axis.extent;
    } else {
      merged.push_back(axis);
    }
  }
  if (merged.empty()) merged.push_back(NestAxis{});
  return {merged.rbegin(), merged.rend()};
}

}  // namespace bw::codegen
