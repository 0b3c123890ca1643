#include "tests/unit/codegen/fuzz.h"

#include <fmt/format.h>

#include <cstdlib>
#include <random>
#include <vector>

#include "tests/unit/codegen/network.h"
#include "tests/unit/codegen/run_program.h"

namespace bw::codegen {
namespace {

class RandomNetwork {
 public:
  explicit RandomNetwork(uint32_t seed)
      : rng_(seed), net_(seed, kWidths[rng_() % std::size(kWidths)]) {
    net_.SetSigned(Below(4) != 0);
    net_.SetZeroPoints(Below(3) == 0);
  }

  const graph::IntGraph& Make() {
    Id x = net_.Input({1 + (Below(5) == 0), 1 + Below(9), 1 + Below(14), 1 + Below(14)});
    for (int64_t n = 2 + Below(7); n > 0; --n) {
      if (Below(4) == 0) net_.SetBits(kWidths[Below(std::size(kWidths))]);
      x = Step(x);
      if (Below(6) == 0) net_.Output(x);
    }
    x = Tail(x);
    net_.Output(x);
    return net_.graph();
  }

 private:
  using Id = Network::Id;
  static constexpr int kWidths[] = {2, 3, 4, 5, 6, 7, 8, 8, 8, 12, 16};

  int64_t Below(int64_t n) { return static_cast<int64_t>(rng_() % static_cast<uint64_t>(n)); }
  int64_t Extent(Id x, int axis) { return net_.shape(x)[axis]; }

  ConvSpec RandomConv(Id x) {
    ConvSpec spec;
    spec.out = 1 + Below(20);
    spec.kernel_h = 1 + Below(3), spec.kernel_w = 1 + Below(3);
    spec.stride = 1 + Below(2);
    spec.dilation = 1 + (Below(4) == 0);
    spec.pad_top = Below(3), spec.pad_left = Below(3);
    spec.pad_bottom = Below(3), spec.pad_right = Below(3);
    if (!Fits(x, spec.kernel_h, spec.kernel_w, spec.dilation, spec)) {
      spec.pad_top = spec.pad_bottom = spec.pad_left = spec.pad_right = 4;
    }
    spec.weight_bits = kWidths[Below(std::size(kWidths))];
    spec.bias = Below(4) != 0;
    spec.per_channel = Below(3) != 0;
    spec.leaky = Below(5) == 0;
    return spec;
  }

  template <typename Pads>
  bool Fits(Id x, int64_t kernel_h, int64_t kernel_w, int64_t dilation, const Pads& pads) {
    return Extent(x, 2) + pads.pad_top + pads.pad_bottom >= (kernel_h - 1) * dilation + 1 &&
           Extent(x, 3) + pads.pad_left + pads.pad_right >= (kernel_w - 1) * dilation + 1;
  }

  Id Conv(Id x) {
    ConvSpec spec = RandomConv(x);
    const int64_t channels = Extent(x, 1);
    if (Below(3) == 0) {
      spec.out = spec.group = channels;  // depthwise
    } else if (Below(4) == 0 && channels > 1) {
      for (int64_t g = 2; g <= channels; ++g) {
        if (channels % g == 0) spec.group = g;
        if (channels % g == 0 && Below(2) == 0) break;
      }
      spec.out = spec.group * (1 + Below(5));
    }
    return net_.Conv(x, spec);
  }

  Id Pool(Id x) {
    PoolSpec spec;
    spec.is_max = Below(2) == 0;
    spec.kernel_h = 1 + Below(3), spec.kernel_w = 1 + Below(3);
    spec.stride = 1 + Below(2);
    if (spec.is_max && Below(4) == 0) spec.dilation = 2;
    // Padding below the kernel's reach, so that no window lies on padding alone.
    spec.pad_top = Below(spec.kernel_h), spec.pad_bottom = Below(spec.kernel_h);
    spec.pad_left = Below(spec.kernel_w), spec.pad_right = Below(spec.kernel_w);
    const bool inside = Extent(x, 2) >= (spec.kernel_h - 1) * spec.dilation + 1 &&
                        Extent(x, 3) >= (spec.kernel_w - 1) * spec.dilation + 1;
    return inside ? net_.Pool(x, spec) : net_.Requant(x, true, false);
  }

  Id Residual(Id x) {
    const Id y = net_.Conv(x, Pointwise(Extent(x, 1)));
    ConvSpec same = Depthwise(Extent(x, 1));
    const Id z = Below(2) == 0 ? net_.Conv(y, same) : y;
    return Below(3) == 0 ? net_.Mul(x, z) : net_.Add(z, x, Below(3) == 0, Below(2) == 0);
  }

  Id SqueezeExcite(Id x) {
    const Id pooled = net_.GlobalPool(x, Below(4) == 0);
    const Id squeezed = net_.Conv(pooled, Pointwise(1 + Below(6)));
    const Id gate = net_.Lut(net_.Conv(squeezed, Pointwise(Extent(x, 1))), 64, Below(2) == 0);
    return net_.Mul(x, gate);
  }

  Id Concat(Id x) {
    std::vector<Id> parts;
    const int64_t axis = Below(3) == 0 ? 2 + Below(2) : 1;
    for (int64_t n = 1 + Below(3); n > 0; --n) {
      const int64_t out = axis == 1 ? 1 + Below(9) : Extent(x, 1);
      const Id part = net_.Conv(x, Pointwise(out));
      if (!parts.empty()) {
        net_.mutable_graph().value(part).zero_point =
            net_.mutable_graph().value(parts[0]).zero_point;
      }
      parts.push_back(part);
    }
    if (Below(3) == 0) parts.push_back(parts[0]);
    return net_.Concat(parts, axis);
  }

  Id Slice(Id x) {
    std::vector<int64_t> starts, steps;
    tensor::Shape to;
    for (const int64_t extent : net_.shape(x).dims) {
      const int64_t start = Below(extent);
      const int64_t step = Below(2) == 0 ? 1 + Below(2) : -1;
      const int64_t most = step > 0 ? (extent - 1 - start) / step + 1 : start + 1;
      starts.push_back(start);
      steps.push_back(step);
      to.dims.push_back(1 + Below(most));
    }
    starts[0] = 0, steps[0] = 1, to[0] = Extent(x, 0);
    return net_.Slice(x, starts, steps, to);
  }

  Id Step(Id x) {
    switch (Below(14)) {
      case 0:
      case 1:
      case 2:
        return Conv(x);
      case 3:
        return Pool(x);
      case 4:
        return Residual(x);
      case 5:
        return SqueezeExcite(x);
      case 6:
        return Concat(x);
      case 7:
        return Slice(x);
      case 8:
        return net_.Pad(x, {0, Below(2), Below(3), Below(2)}, {0, Below(3), Below(2), Below(2)});
      case 9:
        return net_.Transpose(
            x, Below(2) == 0 ? std::vector<int64_t>{0, 2, 3, 1} : std::vector<int64_t>{0, 3, 1, 2});
      case 10: {
        const int64_t rest = Extent(x, 2) * Extent(x, 3);
        return net_.Reshape(x, {Extent(x, 0), rest, Extent(x, 1), 1});
      }
      case 12:
        return net_.Resize(x, {1, 1 + Below(3) / 2, 1 + Below(3), 1 + Below(3)});
      case 11:
        return net_.Requant(x, Below(2) == 0, Below(2) == 0);
      default:
        return net_.Add(x, net_.Constant({1, Below(2) == 0 ? Extent(x, 1) : 1, 1, 1}));
    }
  }

  Id Tail(Id x) {
    const int64_t batch = Extent(x, 0);
    const int64_t rest = net_.shape(x).Elements() / batch;
    switch (Below(4)) {
      case 0:
        return net_.MatMul(net_.Reshape(x, {batch, rest}), 1 + Below(12));
      case 1:
        return net_.Softmax(
            net_.MatMul(net_.Reshape(net_.GlobalPool(x), {batch, Extent(x, 1)}), 7));
      case 2: {
        const Id rows = net_.Reshape(x, {batch, Extent(x, 1), Extent(x, 2) * Extent(x, 3)});
        return net_.MatMulOf(rows, net_.Transpose(rows, {0, 2, 1}));
      }
      default:
        return x;
    }
  }

  std::mt19937 rng_;
  Network net_;
};

hwconfig::HwConfig RandomMachine(std::mt19937& rng) {
  const auto below = [&](int64_t n) {
    return static_cast<int64_t>(rng() % static_cast<uint64_t>(n));
  };
  hwconfig::HwConfig config;
  config.act_bits = config.weight_bits = 16;
  config.array_rows = 1 + below(8);
  config.array_cols = 1 + below(8);
  config.ppu_lanes = 1 + below(8);
  config.acc_entries = 64 << below(5);
  constexpr int64_t kSpm[] = {1024, 1536, 2048, 3000, 4096, 8192, 16384, 65536};
  config.spm_bytes = kSpm[below(std::size(kSpm))];
  config.spm_banks = 1 << below(4);
  config.spm_bank_bytes = 1 << below(5);
  config.ppu_param_entries = 16 << below(4);
  config.queue_depth = 2 + below(8);
  return config;
}

}  // namespace

FuzzCase MakeFuzzCase(uint32_t seed) {
  FuzzCase made;
  made.graph = RandomNetwork(seed).Make();
  std::mt19937 rng(seed + 1000000);
  made.config = RandomMachine(rng);
  made.options.keep_resident = rng() % 4 != 0;
  made.options.software_pipeline = rng() % 8 != 0;
  return made;
}

FuzzCounts Fuzz(uint32_t first, uint32_t count) {
  FuzzCounts counts;
  for (uint32_t seed = first; seed < first + count; ++seed) {
    if (std::getenv("BW_FUZZ_SHOW") != nullptr) fmt::print(stderr, "seed {}\n", seed);
    const FuzzCase fuzz = MakeFuzzCase(seed);
    const RunReport report = RunAndCompare(fuzz.graph, fuzz.config, fuzz.options, seed);
    if (!report.compile_error.empty()) {
      ++counts.too_large;
      if (report.compile_error.find("the smallest tile needs") == std::string::npos) {
        counts.failure = fmt::format("seed {}: {}", seed, report.compile_error);
        return counts;
      }
      continue;
    }
    if (!report.problem.empty()) {
      counts.failure = fmt::format("seed {}: {}", seed, report.problem);
      return counts;
    }
    ++counts.compiled;
    counts.elements += report.elements;
  }
  return counts;
}

}  // namespace bw::codegen
