// The arithmetic pipeline of the PPU as its engine sees it: one beat of lanes in, one out, with
// ready/valid on both sides. Two implementations: sim/sysc (calls models/arith) and sim/rtl_dut
// (the Verilated rtl/). Both must behave alike cycle by cycle.
#ifndef SIM_PPU_PPU_CORE_H_
#define SIM_PPU_PPU_CORE_H_

#include <array>
#include <cstdint>

#include "compiler/isa/descriptor.h"
#include "models/arith/eltwise.h"
#include "models/arith/rounding.h"

namespace bw::ppu {

inline constexpr int kMaxLanes = 64;

// What the pipeline does to a beat. Pooling windows and table lookups are done before it (the
// window's maximum or the looked-up value arrives as kPass, the window's sum as kRequantise).
enum class CoreOp : uint8_t {
#define BW_ENUM(type, name, code, doc) BW_ENUM_##type(name, code)
#define BW_ENUM_Memory(name, code)
#define BW_ENUM_AccInit(name, code)
#define BW_ENUM_CoreOp(name, code) k##name = code,
#include "compiler/isa/isa.def"
#undef BW_ENUM_Memory
#undef BW_ENUM_AccInit
#undef BW_ENUM_CoreOp
};

// Constant over one instruction.
struct CoreConfig {
  CoreOp op = CoreOp::kRequantise;
  arith::Rounding rounding = arith::Rounding::kHalfUp;
  int64_t a_zero_point = 0,
          b_zero_point = 0;  // kRequantise: a - azp; kMultiply: both; kAdd: in `add`
  arith::EltwiseAdd add;
  bool negative_set = false;  // use (m2, s2) where the value to requantise is negative
};

struct CoreBeat {
  const CoreConfig* config = nullptr;
  int lanes = 0;     // valid lanes, 1..kMaxLanes; the others are ignored
  uint64_t tag = 0;  // handed through
  std::array<int64_t, kMaxLanes> a, b;
  std::array<isa::PpuParam, kMaxLanes> param;
};

struct CoreResult {
  int lanes = 0;
  uint64_t tag = 0;
  std::array<int32_t, kMaxLanes> y;
};

// Rules of the handshake, the same for every implementation (depth D = 7, the stages of
// rtl/bw_ppu.sv):
//   enable = !OutValid() || out_ready        in the current cycle
//   a beat offered while `enable` is taken; without `enable` nothing moves (in_ready == enable)
//   a beat taken at clock edge t is visible at OutValid() from edge t + D - 1 on, so that with D
//   stages it can be taken by the consumer in the D-th cycle after it was offered
//   bubbles advance like beats
class PpuCore {
 public:
  virtual ~PpuCore() = default;
  virtual void Reset() = 0;
  virtual bool OutValid() const = 0;
  virtual const CoreResult& Out() const = 0;  // only while OutValid()
  // One rising clock edge with these inputs. `in` is null when nothing is offered. Returns whether
  // the offered beat was taken.
  virtual bool Clock(const CoreBeat* in, bool out_ready) = 0;
  // Results clipped at lo or hi since Reset (kPass never counts); sticky until Reset.
  virtual uint64_t Saturations() const = 0;
};

}  // namespace bw::ppu

#endif  // SIM_PPU_PPU_CORE_H_
