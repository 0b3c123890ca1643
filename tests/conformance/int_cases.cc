#include "tests/conformance/int_cases.h"

#include <algorithm>

namespace bw::conformance {

const std::vector<IntGap>& IntGaps() {
  static const std::vector<IntGap> rows = {
      {"test_reshape_allowzero_reordered", Gap::kNoForm, "there is nothing to compute",
       "has no elements"},
      {"test_slice_start_out_of_bounds", Gap::kNoForm, "there is nothing to compute",
       "has no elements"},
      {"test_split_zero_size_splits", Gap::kNoForm, "there is nothing to compute",
       "has no elements"},
      {"test_MaxPool2d_stride_padding_dilation", Gap::kDoesNotFit,
       "one window spreads over 591 x 791 elements, and a window is not split", "of spm.bytes"},
      {"test_softmax_large_number", Gap::kTooCoarse,
       "one row holds 0 to 3, the other 10000 to 10003: all of a row are one step", ""},
  };
  return rows;
}

const IntGap* FindIntGap(const OnnxCase& c) {
  const auto& rows = IntGaps();
  const auto row = std::find_if(rows.begin(), rows.end(),
                                [&](const IntGap& r) { return c.name.rfind(r.prefix, 0) == 0; });
  return row == rows.end() ? nullptr : &*row;
}

}  // namespace bw::conformance
