// Wraps one Verilated bw_ppu as a BwRtlApi. Compiled together with the generated model, once for
// each parameter set, never into the main program. BW_LANES and the widths come with -D.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

#include "Vbw_ppu.h"
#include "sim/rtl_dut/rtl_abi.h"
#include "verilated.h"
#if BW_TRACE
#include "verilated_vcd_c.h"
#endif

namespace {

struct Model {
  VerilatedContext context;
  std::unique_ptr<Vbw_ppu> top;
#if BW_TRACE
  std::unique_ptr<VerilatedVcdC> vcd;
#endif
};

// Fills a port from lane 0 upwards, `width` bits a lane. Ports of up to 64 bits are integers, wider
// ones arrays of 32-bit words.
template <typename Port>
class Packer {
 public:
  explicit Packer(Port& port) : port_(port) {}
  void Put(uint64_t value, int width) {
    while (width > 32) {
      PutWord(value & 0xffffffffU, 32);
      value >>= 32;
      width -= 32;
    }
    PutWord(value & ((uint64_t{1} << width) - 1), width);
  }
  ~Packer() {
    if (filled_ > 0) Flush();
  }

 private:
  void PutWord(uint64_t value, int width) {
    buffer_ |= value << filled_;
    filled_ += width;
    if (filled_ >= 32) Flush();
  }
  void Flush() {
    const auto word = static_cast<uint32_t>(buffer_);
    if constexpr (std::is_integral_v<Port>) {
      if (word_ == 0) port_ = 0;
      port_ = static_cast<Port>(static_cast<uint64_t>(port_) |
                                (static_cast<uint64_t>(word) << (32 * word_)));
    } else {
      port_[word_] = word;
    }
    ++word_;
    buffer_ >>= 32;
    filled_ -= 32;
  }
  Port& port_;
  uint64_t buffer_ = 0;  // less than 32 bits of it between calls
  int filled_ = 0;
  size_t word_ = 0;
};

template <typename Port>
uint32_t Word(const Port& port, int index) {
  if constexpr (std::is_integral_v<Port>) {
    return static_cast<uint32_t>(static_cast<uint64_t>(port) >> (32 * index));
  } else {
    return port[static_cast<size_t>(index)];
  }
}

Model& Of(void* model) { return *static_cast<Model*>(model); }

void SetClock(Model& m, int level) {
  m.top->clk_i = level != 0;
  m.top->eval();
#if BW_TRACE
  if (m.vcd) m.vcd->dump(m.context.time());
  m.context.timeInc(1);
#endif
}

void Reset(void* model) {
  Model& m = Of(model);
  m.top->in_valid_i = 0;
  m.top->out_ready_i = 0;
  m.top->lut_write_i = 0;
  m.top->rst_ni = 0;
  SetClock(m, 0);
  SetClock(m, 1);
  m.top->rst_ni = 1;
  m.top->eval();
}

void* Create() {
  auto m = std::make_unique<Model>();
#if BW_TRACE
  m->context.traceEverOn(true);
#endif
  m->top = std::make_unique<Vbw_ppu>(&m->context, "");
  void* raw = m.release();
  Reset(raw);
  return raw;
}

void Destroy(void* model) { delete &Of(model); }

// Lanes that are not in use are given the values of lane 0, so that they never hold old data.
template <typename Port, typename Get>
void PutLanes(Port& port, int width, const BwRtlLane* lane, int lanes, Get get) {
  Packer<Port> packer(port);
  for (int i = 0; i < BW_LANES; ++i) {
    packer.Put(static_cast<uint64_t>(get(lane[i < lanes ? i : 0])), width);
  }
}

constexpr uint32_t Field(int64_t value, int width) {
  return static_cast<uint32_t>(static_cast<uint64_t>(value) & ((uint64_t{1} << width) - 1));
}

template <typename Port>
void Set(Port& port, int64_t value, int width) {
  port = static_cast<Port>(Field(value, width));
}

// Parameters count with the last position of a window.
void DriveParameters(Vbw_ppu& top, const BwRtlLane* lane, int lanes) {
  using Lane = const BwRtlLane&;
  PutLanes(top.mult_i, BW_MULT_BITS, lane, lanes, [](Lane l) { return l.mult; });
  PutLanes(top.mult_neg_i, BW_MULT_BITS, lane, lanes, [](Lane l) { return l.mult_neg; });
  PutLanes(top.shift_i, 7, lane, lanes, [](Lane l) { return int64_t{l.shift}; });
  PutLanes(top.shift_neg_i, 7, lane, lanes, [](Lane l) { return int64_t{l.shift_neg}; });
  PutLanes(top.zero_point_i, 32, lane, lanes, [](Lane l) { return int64_t{l.zero_point}; });
  PutLanes(top.lo_i, 32, lane, lanes, [](Lane l) { return int64_t{l.lo}; });
  PutLanes(top.hi_i, 32, lane, lanes, [](Lane l) { return int64_t{l.hi}; });
}

void DriveControl(Vbw_ppu& top, const BwRtlControl& c) {
  Set(top.first_i, c.first, 1);
  Set(top.last_i, c.last, 1);
  Set(top.inside_i, c.inside, 1);
  Set(top.op_i, c.op, 3);
  Set(top.mode_i, c.mode, 3);
  Set(top.neg_i, c.neg, 1);
  Set(top.a_zp_i, c.a_zp, BW_ACT_BITS + 1);
  Set(top.b_zp_i, c.b_zp, BW_ACT_BITS + 1);
  Set(top.sub_i, c.sub, 1);
  Set(top.a_lsh_i, c.a_lsh, 5);
  Set(top.b_lsh_i, c.b_lsh, 5);
  Set(top.a_mul_i, c.a_mul, 1);
  Set(top.b_mul_i, c.b_mul, 1);
  Set(top.a_mult_i, c.a_mult, BW_MULT_BITS);
  Set(top.b_mult_i, c.b_mult, BW_MULT_BITS);
  Set(top.a_shift_i, c.a_shift, 7);
  Set(top.b_shift_i, c.b_shift, 7);
  Set(top.s1_shift_i, c.s1_shift, 6);
  Set(top.s1_bits_i, c.s1_bits, 5);
  Set(top.lut_base_i, c.lut_base, 32);
  Set(top.lut_low_i, c.lut_low, 32);
  Set(top.lut_high_i, c.lut_high, 32);
  Set(top.lut_shift_i, c.lut_shift, 5);
  Set(top.lut_interpolate_i, c.lut_interpolate, 1);
  Set(top.lut_ramp_i, c.lut_ramp, 1);
}

void Drive(Vbw_ppu& top, const BwRtlControl& c, const BwRtlLane* lane, int lanes) {
  using Lane = const BwRtlLane&;
  Set(top.lanes_i, lanes, 7);
  PutLanes(top.a_i, BW_A_BITS, lane, lanes, [](Lane l) { return l.a; });
  PutLanes(top.b_i, BW_ACT_BITS + 1, lane, lanes, [](Lane l) { return int64_t{l.b}; });
  DriveControl(top, c);
  if (c.last) DriveParameters(top, lane, lanes);
}

int Clock(void* model, const BwRtlControl* control, const BwRtlLane* lane, int lanes,
          int out_ready) {
  Model& m = Of(model);
  m.top->in_valid_i = lanes > 0;
  if (lanes > 0) Drive(*m.top, *control, lane, lanes);
  m.top->out_ready_i = out_ready != 0;
  SetClock(m, 0);
  const int ready = m.top->in_ready_o;
  SetClock(m, 1);
  m.top->lut_write_i = 0;
  return ready;
}

int WriteTable(void* model, uint32_t entry, const int32_t* values, int count) {
  if (count < 1 || count > BW_TABLE_WORDS) return 0;
  if (entry > BW_LUT_ENTRIES - static_cast<uint32_t>(count)) return 0;
  Vbw_ppu& top = *Of(model).top;
  top.lut_write_i = 1;
  Set(top.lut_entry_i, static_cast<int32_t>(entry), 32);
  Set(top.lut_count_i, count, 32);
  Packer packer(top.lut_values_i);
  for (int i = 0; i < count; ++i) packer.Put(static_cast<uint32_t>(values[i]), 32);
  return 1;
}

int OutValid(void* model) { return Of(model).top->out_valid_o; }

void Out(void* model, int32_t* y, int lanes) {
  const Vbw_ppu& top = *Of(model).top;
  for (int i = 0; i < lanes; ++i) y[i] = static_cast<int32_t>(Word(top.y_o, i));
}

uint32_t Saturations(void* model) { return Of(model).top->saturations_o; }

int Trace([[maybe_unused]] void* model, [[maybe_unused]] const char* path) {
#if BW_TRACE
  Model& m = Of(model);
  m.vcd = std::make_unique<VerilatedVcdC>();
  m.top->trace(m.vcd.get(), 99);
  m.vcd->open(path);
  return m.vcd->isOpen() ? 1 : 0;
#else
  return 0;
#endif
}

const BwRtlApi kApi = {Create,   Destroy, Reset,       Clock, WriteTable,
                       OutValid, Out,     Saturations, Trace};

}  // namespace

extern "C" const BwRtlApi* BwRtlGetApi(void) { return &kApi; }
