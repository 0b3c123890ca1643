#include "compiler/codegen/value_table.h"

#include <algorithm>
#include <numeric>

#include "compiler/codegen/reshape_axes.h"

namespace bw::codegen {
namespace {

using graph::IntNode;
using graph::IntValueId;

template <typename T>
const T* As(const IntNode& node) {
  return std::get_if<T>(&node.params);
}

bool IsLayoutNode(const IntNode& node) {
  return As<graph::IntReshape>(node) || As<graph::IntTranspose>(node) || As<graph::IntPad>(node) ||
         As<graph::IntSlice>(node) || As<graph::IntResize>(node) || As<graph::IntConcat>(node);
}

// Operators whose operands and result should have one axis order.
bool KeepsOrder(const IntNode& node) {
  return As<graph::IntAdd>(node) || As<graph::IntMul>(node) || As<graph::IntRequant>(node) ||
         As<graph::IntLut>(node) || As<graph::IntPad>(node) || As<graph::IntConcat>(node) ||
         As<graph::IntSlice>(node) || As<graph::IntResize>(node);
}

std::vector<int> RowMajor(int rank) {
  std::vector<int> order(static_cast<size_t>(rank));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

size_t At(IntValueId id) { return static_cast<size_t>(id); }

// Classes of values, joined.
class Classes {
 public:
  explicit Classes(size_t n) : parent_(n) { std::iota(parent_.begin(), parent_.end(), size_t{0}); }
  size_t Find(size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void Join(size_t a, size_t b) {
    a = Find(a), b = Find(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<size_t> parent_;
};

}  // namespace

ValueTable::ValueTable(const graph::IntGraph& graph)
    : graph_(graph),
      layouts_(graph.values.size()),
      views_(graph.nodes.size(), false),
      producer_(graph.values.size(), -1) {
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    producer_[At(graph.nodes[i].output)] = static_cast<int>(i);
  }
  ChooseOrders();
  ChooseContainers();
  for (size_t i = 0; i < layouts_.size(); ++i) {
    ValueLayout& layout = layouts_[i];
    const graph::IntValue& value = graph.values[i];
    layout.root = static_cast<IntValueId>(i);
    layout.spm_strides = DenseLayout(value.shape.dims, layout.order, layout.container).strides;
    layout.dram_strides = DenseLayout(value.shape.dims, layout.order, value.bits).strides;
  }
  ShareConcatenated();
  ShareViews();
}

void ValueTable::ChooseOrders() {
  const size_t n = graph_.values.size();
  Classes classes(n);
  std::vector<bool> channels_last(n, false), row_major(n, false);
  for (const IntNode& node : graph_.nodes) {
    if (!KeepsOrder(node)) continue;
    for (const IntValueId input : node.inputs) {
      if (graph_.value(input).shape.rank() == graph_.value(node.output).shape.rank()) {
        classes.Join(At(input), At(node.output));
      }
    }
  }
  for (const IntNode& node : graph_.nodes) {
    const bool spatial = As<graph::IntConv>(node) || As<graph::IntPool>(node);
    if (spatial) channels_last[classes.Find(At(node.inputs[0]))] = true;
    if (spatial) channels_last[classes.Find(At(node.output))] = true;
    if (As<graph::IntMatMul>(node)) {
      for (const IntValueId id : {node.inputs[0], node.inputs[1], node.output}) {
        row_major[classes.Find(At(id))] = true;
      }
    }
  }
  for (size_t i = 0; i < n; ++i) {
    const int rank = graph_.values[i].shape.rank();
    const size_t c = classes.Find(i);
    layouts_[i].order = RowMajor(rank);
    // A product of many matrices writes one at a time, and stores write whole bytes.
    const int made_by = producer_[i];
    const bool product =
        made_by >= 0 && As<graph::IntMatMul>(graph_.nodes[static_cast<size_t>(made_by)]);
    const bool by_rows = product && graph_.values[i].bits % 8 != 0;
    if (rank == 4 && !by_rows && (channels_last[c] || !row_major[c])) {
      layouts_[i].order = {0, 2, 3, 1};
    }
  }
}

// 4-bit containers are for values whose every part that an instruction addresses starts on a byte
// boundary; the others get 8 bits.
void ValueTable::ChooseContainers() {
  std::vector<bool> wide(graph_.values.size(), false);
  for (const IntNode& node : graph_.nodes) {
    bool widen = IsLayoutNode(node);
    if (const auto* conv = As<graph::IntConv>(node)) {
      const int64_t channels = graph_.value(node.output).shape[1];
      const int64_t inputs = graph_.value(node.inputs[0]).shape[1];
      const bool depthwise = conv->group == channels && conv->group == inputs;
      widen = conv->group > 1 && !depthwise &&
              ((channels / conv->group) % 2 != 0 || (inputs / conv->group) % 2 != 0);
    }
    if (As<graph::IntMatMul>(node)) widen = graph_.value(node.output).shape.rank() > 3;
    for (const IntValueId input : node.inputs) {
      widen = widen ||
              (KeepsOrder(node) && layouts_[At(input)].order != layouts_[At(node.output)].order);
    }
    if (!widen) continue;
    wide[At(node.output)] = true;
    for (const IntValueId input : node.inputs) wide[At(input)] = true;
  }
  for (size_t i = 0; i < layouts_.size(); ++i) {
    const int least = wide[i] ? 8 : 4;
    layouts_[i].container = ContainerBits(std::max(graph_.values[i].bits, least));
  }
}

void ValueTable::Inherit(IntValueId id, IntValueId from) {
  ValueLayout& to = layouts_[At(id)];
  const ValueLayout& of = layouts_[At(from)];
  to.root = of.root;
  to.spm_offset = of.spm_offset;
  to.dram_offset = of.dram_offset;
}

bool ValueTable::MayWriteInto(IntValueId part, const IntNode& concat, int64_t offset) const {
  const graph::IntValue& value = graph_.value(part);
  const int made_by = producer_[At(part)];
  if (made_by < 0 || layouts_[At(part)].root != part) return false;
  const IntNode& producer = graph_.nodes[static_cast<size_t>(made_by)];
  if (graph::IsHostNode(producer) || As<graph::IntReshape>(producer) ||
      As<graph::IntTranspose>(producer) || As<graph::IntSlice>(producer)) {
    return false;
  }
  if (std::count(concat.inputs.begin(), concat.inputs.end(), part) != 1) return false;
  const ValueLayout& whole = layouts_[At(concat.output)];
  if (layouts_[At(part)].order != whole.order || layouts_[At(part)].container != whole.container) {
    return false;
  }
  // Stores write whole bytes.
  const auto axis = static_cast<size_t>(std::get<graph::IntConcat>(concat.params).axis);
  const int64_t step = whole.dram_strides[axis];
  return offset * step % 8 == 0 && value.shape.dims[axis] * step % 8 == 0;
}

// Later concatenations first, so that one into another finds the outer one's place.
void ValueTable::ShareConcatenated() {
  for (size_t n = graph_.nodes.size(); n-- > 0;) {
    const IntNode& node = graph_.nodes[n];
    const auto* concat = As<graph::IntConcat>(node);
    if (concat == nullptr) continue;
    const auto axis = static_cast<size_t>(concat->axis);
    const ValueLayout whole = layouts_[At(node.output)];
    // All or none, so that a tile of the result never covers what someone else writes.
    int64_t offset = 0;
    bool all = true;
    for (const IntValueId part : node.inputs) {
      all = all && MayWriteInto(part, node, offset);
      offset += graph_.value(part).shape.dims[axis];
    }
    views_[n] = all;
    offset = 0;
    for (const IntValueId part : node.inputs) {
      if (!all) break;
      ValueLayout& layout = layouts_[At(part)];
      layout = whole;
      layout.spm_offset += offset * whole.spm_strides[axis];
      layout.dram_offset += offset * whole.dram_strides[axis];
      offset += graph_.value(part).shape.dims[axis];
    }
  }
}

void ValueTable::ShareViews() {
  for (size_t n = 0; n < graph_.nodes.size(); ++n) {
    const IntNode& node = graph_.nodes[n];
    if (!As<graph::IntReshape>(node) && !As<graph::IntTranspose>(node) &&
        !As<graph::IntSlice>(node)) {
      continue;
    }
    const IntValueId input = node.inputs[0];
    const graph::IntValue& from = graph_.value(input);
    const graph::IntValue& to = graph_.value(node.output);
    const ValueLayout& source = layouts_[At(input)];
    ValueLayout& made = layouts_[At(node.output)];
    // A result that was given its place in a concatenation is written there by copying.
    if (made.root != node.output || from.bits != to.bits || from.is_signed != to.is_signed ||
        source.container != made.container) {
      continue;
    }
    Index spm, dram;
    int64_t spm_offset = 0, dram_offset = 0;
    if (As<graph::IntReshape>(node)) {
      const auto shared = SharedAxes(from.shape.dims, to.shape.dims);
      if (!shared) continue;
      const auto rank = to.shape.dims.size();
      const auto in_spm = ReshapedStrides(*shared, source.spm_strides, rank);
      const auto in_dram = ReshapedStrides(*shared, source.dram_strides, rank);
      if (!in_spm || !in_dram) continue;
      spm = *in_spm, dram = *in_dram;
    } else if (const auto* transpose = As<graph::IntTranspose>(node)) {
      for (const int64_t axis : transpose->perm) {
        spm.push_back(source.spm_strides[static_cast<size_t>(axis)]);
        dram.push_back(source.dram_strides[static_cast<size_t>(axis)]);
      }
    } else {
      const auto& slice = std::get<graph::IntSlice>(node.params);
      for (size_t axis = 0; axis < slice.starts.size(); ++axis) {
        spm_offset += slice.starts[axis] * source.spm_strides[axis];
        dram_offset += slice.starts[axis] * source.dram_strides[axis];
        spm.push_back(slice.steps[axis] * source.spm_strides[axis]);
        dram.push_back(slice.steps[axis] * source.dram_strides[axis]);
      }
    }
    Inherit(node.output, input);
    made.spm_offset += spm_offset;
    made.dram_offset += dram_offset;
    made.spm_strides = std::move(spm);
    made.dram_strides = std::move(dram);
    std::stable_sort(made.order.begin(), made.order.end(), [&](int a, int b) {
      return std::abs(made.dram_strides[static_cast<size_t>(a)]) >
             std::abs(made.dram_strides[static_cast<size_t>(b)]);
    });
    views_[n] = true;
  }
}

uint64_t ValueTable::SpmBytes(IntValueId root) const {
  const ValueLayout& layout = of(root);
  return DenseLayout(graph_.value(root).shape.dims, layout.order, layout.container).bytes();
}

uint64_t ValueTable::DramBytes(IntValueId root) const {
  const graph::IntValue& value = graph_.value(root);
  return DenseLayout(value.shape.dims, of(root).order, value.bits).bytes();
}

}  // namespace bw::codegen
