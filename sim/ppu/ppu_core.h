// The arithmetic pipeline of the PPU as its engine sees it: one beat of lanes in, one out, with
// ready/valid on both sides. Two implementations: sim/sysc (calls models/arith) and sim/rtl_dut
// (the Verilated rtl/). Both must behave alike cycle by cycle.
#ifndef SIM_PPU_PPU_CORE_H_
#define SIM_PPU_PPU_CORE_H_

#include <array>
#include <cstdint>

#include "compiler/isa/descriptor.h"
#include "models/arith/eltwise.h"
#include "models/arith/lut.h"
#include "models/arith/rounding.h"

namespace bw::ppu {

inline constexpr int kMaxLanes = 64;

// What the pipeline does to a beat.
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
          b_zero_point = 0;  // kRequantise, kSum: a - azp; kMultiply: both; kAdd: in `add`
  arith::EltwiseAdd add;
  bool negative_set = false;  // use (m2, s2) where the value to requantise is negative
  uint32_t table = 0;         // kLookup: first entry of its table
  arith::LutParams lut;       // kLookup
};

// One beat; of kMaximum and kSum one window position. A window's beats come one after the other,
// with the same lanes; the core folds them, and the last one (whose parameters and tag count) makes
// the result. At least one position of a window is inside.
struct CoreBeat {
  const CoreConfig* config = nullptr;
  int lanes = 0;                   // valid lanes, 1..kMaxLanes; the others are ignored
  uint64_t tag = 0;                // handed through
  bool first = true, last = true;  // of its window; both true for all other operations
  bool inside = true;              // false: this window position contributes nothing
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
//   bubbles advance like beats; a beat that is not its window's last one makes a bubble
class PpuCore {
 public:
  virtual ~PpuCore() = default;
  virtual void Reset() = 0;
  virtual bool OutValid() const = 0;
  virtual const CoreResult& Out() const = 0;  // only while OutValid()
  // One rising clock edge with these inputs. `in` is null when nothing is offered. Returns whether
  // the offered beat was taken.
  virtual bool Clock(const CoreBeat* in, bool out_ready) = 0;
  // Writes `count` entries of the lookup memory (all tables, lut.tables * (lut.segments + 1)) at
  // the next clock edge; at most one call an edge. No lookup that could read them is inside.
  virtual void WriteTable(uint32_t entry, const int32_t* values, int count) = 0;
  // Results clipped at lo or hi since Reset (kMaximum and kLookup never count); sticky until Reset.
  virtual uint64_t Saturations() const = 0;
};

}  // namespace bw::ppu

#endif  // SIM_PPU_PPU_CORE_H_
