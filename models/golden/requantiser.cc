#include "models/golden/requantiser.h"

#include <cmath>

#include "models/arith/accumulate.h"
#include "models/arith/profile.h"
#include "models/arith/requantise.h"
#include "models/arith/rounding.h"
#include "models/status/check.h"

namespace bw::golden {
namespace {

using arith::Requant;
using arith::Rounding;

// One channel: `negative` takes over below 0.
struct Entry {
  const Requant& positive;
  const Requant& negative;
  int acc_bits;
};

// Scale by multiplier and shift.
template <Rounding kMode>
struct FixedScale {
  static int64_t Apply(int64_t acc, const Requant& r) {
    return arith::RoundProductAs<kMode>(acc, r.m, r.s);
  }
};

// Profile fp32_even: m * 2^-s is the float32 scale itself (m has 24 bits).
struct FloatScale {
  static int64_t Apply(int64_t acc, const Requant& r) {
    constexpr int64_t kFar = int64_t{1} << 60;
    const float scale = std::ldexp(static_cast<float>(r.m), -r.s);
    return arith::RequantiseFloat32(acc, scale, 0, -kFar, kFar);
  }
};

template <typename Scale, typename Acc>
void Loop(const Entry& entry, const Acc* values, int64_t step, int64_t bias, int64_t count,
          int32_t* out, NodeCounts& counts) {
  int64_t overflows = 0, saturations = 0;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t sum = values[i * step] + bias;
    const int64_t acc = arith::WrapToBits(sum, entry.acc_bits);
    const Requant& r = acc < 0 ? entry.negative : entry.positive;
    const int64_t rounded = Scale::Apply(acc, r);
    const int64_t result = arith::OffsetAndClip(rounded, r);
    overflows += acc != sum;
    saturations += result - r.zp != rounded;
    out[i] = static_cast<int32_t>(result);
  }
  counts.overflows += overflows;
  counts.saturations += saturations;
}

template <typename Acc>
void Dispatch(RequantRule rule, const Entry& entry, const Acc* values, int64_t step, int64_t bias,
              int64_t count, int32_t* out, NodeCounts& counts) {
  if (rule.float_scale) return Loop<FloatScale>(entry, values, step, bias, count, out, counts);
  switch (rule.rounding) {
#define BW_ROUNDING(name, enumerator, code, meaning) \
  case Rounding::enumerator:                         \
    return Loop<FixedScale<Rounding::enumerator>>(entry, values, step, bias, count, out, counts);
#include "models/arith/rounding.def"
#undef BW_ROUNDING
  }
  BW_CHECK(false, "rounding = {}", static_cast<int>(rule.rounding));
}

Entry EntryOf(const graph::RequantSet& set, int64_t channel, int acc_bits) {
  const Requant& positive = set.For(channel);
  if (set.negative.empty()) return {positive, positive, acc_bits};
  return {positive, set.negative[set.negative.size() == 1 ? 0 : static_cast<size_t>(channel)],
          acc_bits};
}

}  // namespace

ChannelView::ChannelView(const tensor::Shape& shape) {
  if (shape.rank() == 0) return;
  channels = shape.rank() == 4 ? shape[1] : shape[shape.rank() - 1];
  inner = shape.rank() == 4 ? shape[2] * shape[3] : 1;
}

RequantRule RuleOf(const KernelSpec& spec) {
  const arith::Profile* profile = arith::FindProfile(spec.graph.profile);
  return {spec.node.rounding, profile != nullptr && profile->float_scale};
}

int32_t RequantiseOne(RequantRule rule, const Requant& requant, int64_t value, NodeCounts& counts) {
  int32_t result = 0;
  Dispatch(rule, {requant, requant, kNoWrap}, &value, 1, 0, 1, &result, counts);
  return result;
}

Requantiser::Requantiser(const graph::RequantSet& set, RequantRule rule, int acc_bits)
    : set_(set), rule_(rule), acc_bits_(acc_bits) {
  BW_CHECK(!set.entries.empty() && acc_bits >= 1 && acc_bits <= 64, "{} entries, {} bits",
           set.entries.size(), acc_bits);
}

void Requantiser::Channel(int64_t channel, const int32_t* values, int64_t step, int64_t bias,
                          int64_t count, int32_t* out, NodeCounts& counts) const {
  Dispatch(rule_, EntryOf(set_, channel, acc_bits_), values, step, bias, count, out, counts);
}

void Requantiser::Channel(int64_t channel, const int64_t* values, int64_t step, int64_t bias,
                          int64_t count, int32_t* out, NodeCounts& counts) const {
  Dispatch(rule_, EntryOf(set_, channel, acc_bits_), values, step, bias, count, out, counts);
}

void Requantiser::All(const tensor::Shape& shape, const std::vector<int64_t>& values, int32_t* out,
                      NodeCounts& counts) const {
  const auto elements = static_cast<int64_t>(values.size());
  const ChannelView view(shape);
  const bool shared = set_.entries.size() == 1;
  const int64_t run = shared ? elements : view.inner;
  for (int64_t at = 0; at < elements; at += run) {
    Channel(shared ? 0 : view.channel(at), values.data() + at, 1, 0, run, out + at, counts);
  }
}

}  // namespace bw::golden
