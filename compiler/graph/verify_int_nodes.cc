#include "compiler/graph/verify_int_nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "compiler/graph/window.h"
#include "models/arith/tflite_softmax.h"

namespace bw::graph {
namespace {

using tensor::Shape;

class NodeCheck {
 public:
  NodeCheck(const IntGraph& graph, const IntNode& node) : graph_(graph), node_(node) {}

  std::vector<std::string> Run() {
    std::visit([this](const auto& params) { Check(params); }, node_.params);
    return std::move(problems_);
  }

 private:
  template <typename... Args>
  bool Fail(fmt::format_string<Args...> text, Args&&... args) {
    problems_.push_back(fmt::format(text, std::forward<Args>(args)...));
    return false;
  }
  const IntValue& In(size_t i) const { return graph_.value(node_.inputs[i]); }
  const IntValue& Out() const { return graph_.value(node_.output); }

  bool Arity(size_t least, size_t most) {
    const size_t n = node_.inputs.size();
    if (n >= least && n <= most) return true;
    return Fail("{} inputs; allowed are {} to {}", n, least, most);
  }
  bool Rank(const IntValue& value, int rank) {
    if (value.shape.rank() == rank) return true;
    return Fail("{} has shape {}; rank must be {}", value.name, value.shape.ToString(), rank);
  }
  bool Result(const Shape& expected) {
    if (Out().shape == expected) return true;
    return Fail("{} has shape {}, the operator makes {}", Out().name, Out().shape.ToString(),
                expected.ToString());
  }

  // One entry, or one a channel of the result.
  void Requants(const RequantSet& set) {
    const Shape& shape = Out().shape;
    const int64_t channels =
        shape.rank() == 0 ? 1 : (shape.rank() == 4 ? shape[1] : shape[shape.rank() - 1]);
    const auto entries = static_cast<int64_t>(set.entries.size());
    if (entries != 1 && entries != channels) {
      Fail("{} requantisation entries; allowed are 1 and {} (channels of {})", entries, channels,
           Out().name);
    }
    if (!set.negative.empty() && set.negative.size() != set.entries.size()) {
      Fail("{} entries for negative values, {} for others", set.negative.size(), entries);
    }
    for (const arith::Requant& r : set.entries) {
      if (!Bounds(r)) return;
    }
    for (const arith::Requant& r : set.negative) {
      if (!Bounds(r)) return;
    }
  }
  // The clip must stay inside the result's type.
  bool Bounds(const arith::Requant& r) {
    const int magnitude_bits = Out().is_signed ? Out().bits - 1 : Out().bits;
    const int64_t top = int64_t{1} << magnitude_bits;
    const int64_t low = Out().is_signed ? -top : 0;
    if (r.lo <= r.hi && r.lo >= low && r.hi < top) return true;
    return Fail("clip {}..{} leaves {}'s range {}..{}", r.lo, r.hi, Out().name, low, top - 1);
  }
  void Bias(size_t index, int64_t channels) {
    if (node_.inputs.size() <= index) return;
    const IntValue& bias = In(index);
    if (bias.constant.empty() || bias.shape != Shape({channels})) {
      Fail("bias {} must be a constant of shape {}, not {}", bias.name, channels,
           bias.shape.ToString());
    }
  }
  bool Windows(int64_t in_h, int64_t in_w, const Window& h, const Window& w, Shape* expected) {
    const auto rows = WindowCount(in_h, h, false);
    const auto columns = WindowCount(in_w, w, false);
    if (!rows || !columns) {
      return Fail("no window fits {}x{}: kernel {}x{}, stride {}x{}", in_h, in_w, h.kernel,
                  w.kernel, h.stride, w.stride);
    }
    expected->dims.push_back(*rows);
    expected->dims.push_back(*columns);
    return true;
  }

  void Check(const IntConv& p) {
    if (!Arity(2, 3) || !Rank(In(0), 4) || !Rank(In(1), 4)) return;
    const Shape& x = In(0).shape;
    const Shape& w = In(1).shape;
    if (In(1).constant.empty()) Fail("weights {} must be constant", In(1).name);
    if (p.group < 1 || w[0] % p.group != 0 || x[1] != w[1] * p.group) {
      Fail("x {}, w {} and group {} do not fit", x.ToString(), w.ToString(), p.group);
      return;
    }
    Bias(2, w[0]);
    Shape expected({x[0], w[0]});
    const Window h{w[2], p.stride_h, p.dilation_h, p.pad_top, p.pad_bottom};
    const Window v{w[3], p.stride_w, p.dilation_w, p.pad_left, p.pad_right};
    if (Windows(x[2], x[3], h, v, &expected) && Result(expected)) Requants(p.requant);
  }

  void Check(const IntMatMul& p) {
    if (!Arity(2, 3)) return;
    const Shape& a = In(0).shape;
    const Shape& b = In(1).shape;
    const bool shared = b.rank() == 2 && !In(1).constant.empty();
    bool fits = a.rank() >= 2 && b.rank() >= 2 && (shared || a.rank() == b.rank());
    fits = fits && a[a.rank() - 1] == b[b.rank() - 2];
    for (int i = 0; fits && !shared && i + 2 < a.rank(); ++i) fits = a[i] == b[i];
    if (!fits) {
      Fail("{} times {} do not fit", a.ToString(), b.ToString());
      return;
    }
    Bias(2, b[b.rank() - 1]);
    Shape expected = a;
    expected[a.rank() - 1] = b[b.rank() - 1];
    if (Result(expected)) Requants(p.requant);
  }

  void Broadcast(const RequantSet& requant) {
    if (!Arity(2, 2) || !Rank(In(0), Out().shape.rank()) || !Rank(In(1), Out().shape.rank())) {
      return;
    }
    Shape expected = In(0).shape;
    for (int i = 0; i < expected.rank(); ++i) {
      const int64_t a = In(0).shape[i], b = In(1).shape[i];
      if (a != b && a != 1 && b != 1) {
        Fail("{} and {} do not broadcast", In(0).shape.ToString(), In(1).shape.ToString());
        return;
      }
      expected[i] = a == 1 ? b : a;
    }
    if (Result(expected)) Requants(requant);
  }
  void Check(const IntAdd& p) { Broadcast(p.requant); }
  void Check(const IntMul& p) { Broadcast(p.requant); }

  void Check(const IntRequant& p) {
    if (Arity(1, 1) && Result(In(0).shape)) Requants(p.requant);
  }

  void Check(const IntLut& p) {
    if (!Arity(1, 1) || !Result(In(0).shape)) return;
    if (!arith::IsValid(p.params)) {
      Fail("lookup parameters are out of range: keys {}..{}, step 2^{}, {} segments", p.params.low,
           p.params.high, p.params.k, p.params.segments);
      return;
    }
    const int64_t needed = arith::LutEntries(p.params);
    if (static_cast<int64_t>(p.table.size()) < needed) {
      Fail("table has {} values, lookups may touch {}", p.table.size(), needed);
    }
  }

  void Check(const IntPool& p) {
    if (!Arity(1, 1) || !Rank(In(0), 4)) return;
    const Shape& x = In(0).shape;
    const Window h{p.kernel_h, p.stride_h, p.dilation_h, p.pad_top, p.pad_bottom};
    const Window w{p.kernel_w, p.stride_w, p.dilation_w, p.pad_left, p.pad_right};
    Shape expected({x[0], x[1]});
    if (!Windows(x[2], x[3], h, w, &expected) || !Result(expected)) return;
    for (int64_t i = 0; i < expected[2]; ++i) {
      for (int64_t j = 0; j < expected[3]; ++j) {
        const int64_t n = ValidElements(x[2], h, i) * ValidElements(x[3], w, j);
        if (n == 0) {
          Fail("the window at {},{} lies on padding alone", i, j);
          return;
        }
        if (!p.is_max && p.by_count.count(n) == 0) {
          Fail("no requantisation for windows with {} valid elements", n);
          return;
        }
      }
    }
    for (const auto& [count, requant] : p.by_count) {
      if (!Bounds(requant)) return;
    }
  }

  void Check(const IntReshape&) {
    if (!Arity(1, 1)) return;
    if (In(0).shape.Elements() == Out().shape.Elements()) return;
    Fail("{} has {} elements, {} has {}", In(0).name, In(0).shape.Elements(), Out().name,
         Out().shape.Elements());
  }

  void Check(const IntTranspose& p) {
    if (!Arity(1, 1)) return;
    const Shape& x = In(0).shape;
    std::vector<int64_t> sorted = p.perm;
    std::sort(sorted.begin(), sorted.end());
    bool fits = static_cast<int>(sorted.size()) == x.rank();
    for (size_t i = 0; fits && i < sorted.size(); ++i) fits = sorted[i] == static_cast<int64_t>(i);
    if (!fits) {
      Fail("perm must list the {} axes, each once", x.rank());
      return;
    }
    Shape expected;
    for (const int64_t axis : p.perm) expected.dims.push_back(x.dims[static_cast<size_t>(axis)]);
    Result(expected);
  }

  void Check(const IntPad& p) {
    if (!Arity(1, 1)) return;
    Shape expected = In(0).shape;
    const auto rank = static_cast<size_t>(expected.rank());
    bool fits = p.before.size() == rank && p.after.size() == rank;
    for (size_t i = 0; fits && i < rank; ++i) {
      fits = p.before[i] >= 0 && p.after[i] >= 0;
      expected.dims[i] += p.before[i] + p.after[i];
    }
    if (!fits) {
      Fail("needs one number >= 0 before and after each of {} axes", rank);
      return;
    }
    Result(expected);
  }

  void Check(const IntSlice& p) {
    if (!Arity(1, 1) || !Rank(Out(), In(0).shape.rank())) return;
    const auto rank = static_cast<size_t>(In(0).shape.rank());
    if (p.starts.size() != rank || p.steps.size() != rank) {
      Fail("needs one start and one step for each of {} axes", rank);
      return;
    }
    for (size_t i = 0; i < rank; ++i) {
      const int64_t extent = In(0).shape.dims[i], count = Out().shape.dims[i];
      const int64_t last = p.starts[i] + (count - 1) * p.steps[i];
      const bool inside = p.starts[i] >= 0 && p.starts[i] < extent && last >= 0 && last < extent;
      if (p.steps[i] == 0 || (count > 0 && !inside)) {
        Fail("axis {}: start {}, step {}, count {} leave 0..{}", i, p.starts[i], p.steps[i], count,
             extent - 1);
      }
    }
  }

  void Check(const IntResize& p) {
    if (!Arity(1, 1)) return;
    Shape expected = In(0).shape;
    const auto rank = static_cast<size_t>(expected.rank());
    bool fits = p.factors.size() == rank;
    for (size_t i = 0; fits && i < rank; ++i) {
      fits = p.factors[i] >= 1;
      expected.dims[i] *= p.factors[i];
    }
    if (!fits) {
      Fail("needs one factor >= 1 for each of {} axes", rank);
      return;
    }
    Result(expected);
  }

  void Check(const IntConcat& p) {
    if (!Arity(1, node_.inputs.size())) return;
    Shape expected = In(0).shape;
    if (p.axis < 0 || p.axis >= expected.rank()) {
      Fail("axis {} leaves 0..{}", p.axis, expected.rank() - 1);
      return;
    }
    const auto axis = static_cast<int>(p.axis);
    for (size_t i = 1; i < node_.inputs.size(); ++i) {
      Shape other = In(i).shape;
      if (!Rank(In(i), expected.rank())) return;
      expected[axis] += other[axis];
      other[axis] = expected[axis];
      if (other != expected) {
        Fail("{} does not fit beside {}", In(i).shape.ToString(), In(0).shape.ToString());
        return;
      }
    }
    Result(expected);
    for (size_t i = 0; i < node_.inputs.size(); ++i) {
      if (In(i).zero_point != Out().zero_point || In(i).bits != Out().bits ||
          In(i).is_signed != Out().is_signed) {
        Fail("{} and {} differ in type or zero point", In(i).name, Out().name);
      }
    }
  }

  void Check(const IntSoftmax& p) {
    if (!Arity(1, 1) || !Result(In(0).shape)) return;
    if (p.exp_table.empty()) Fail("the table of exponentials is empty");
    if (p.tflite) return CheckTflite(p);
    if (p.lo > p.hi) Fail("clip {}..{} is empty", p.lo, p.hi);
  }

  void CheckTflite(const IntSoftmax& p) {
    const Shape& x = In(0).shape;
    const int64_t row = x.rank() == 0 ? 1 : x[x.rank() - 1];
    if (row > arith::kTfliteSoftmaxMostElements) {
      Fail("rows of {} elements; TFLite's softmax takes {} at most", row,
           arith::kTfliteSoftmaxMostElements);
    }
    if (!p.exp_table.empty() && p.exp_table[0] != std::numeric_limits<int32_t>::max()) {
      Fail("the table of exponentials starts with {}, not with 2^31 - 1", p.exp_table[0]);
    }
    const IntValue& y = Out();
    if (y.bits != 8 || !y.is_signed || y.zero_point != arith::kTfliteSoftmaxZeroPoint) {
      Fail("{} has {} bits and zero point {}; TFLite's softmax makes int8 with {}", y.name, y.bits,
           y.zero_point, arith::kTfliteSoftmaxZeroPoint);
    }
  }

  const IntGraph& graph_;
  const IntNode& node_;
  std::vector<std::string> problems_;
};

}  // namespace

std::vector<std::string> VerifyIntNode(const IntGraph& graph, const IntNode& node) {
  return NodeCheck(graph, node).Run();
}

}  // namespace bw::graph
