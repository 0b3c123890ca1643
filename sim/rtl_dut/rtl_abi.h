/* The plain C face of a Verilated bw_ppu, so that one program can load models of any parameter set
 * and no file sees both SystemC and verilated.h. Implemented by model_shim.cc in a shared library.
 */
#ifndef SIM_RTL_DUT_RTL_ABI_H_
#define SIM_RTL_DUT_RTL_ABI_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Control of a beat; names and codes as the ports of rtl/bw_ppu.sv. first, last and inside are 1
 * but for windows. */
struct BwRtlControl {
  int32_t first, last, inside;
  int32_t op, mode, neg, sub;
  int32_t a_zp, b_zp;
  int32_t a_lsh, b_lsh, a_mul, b_mul;
  uint32_t a_mult, b_mult;
  int32_t a_shift, b_shift;
  int32_t s1_shift, s1_bits;
  int32_t lut_base, lut_low, lut_high;
  int32_t lut_shift, lut_interpolate, lut_ramp;
};

/* Operands and parameters of one lane. */
struct BwRtlLane {
  int64_t a;
  int32_t b;
  uint32_t mult, mult_neg;
  int32_t shift, shift_neg;
  int32_t zero_point, lo, hi;
};

struct BwRtlApi {
  void* (*create)(void);
  void (*destroy)(void* model);
  void (*reset)(void* model);
  /* One rising edge. lanes == 0: nothing is offered. Returns in_ready_o before the edge. */
  int (*clock)(void* model, const struct BwRtlControl* control, const struct BwRtlLane* lane,
               int lanes, int out_ready);
  /* Table entries that the next rising edge writes, at most one group an edge. 0, and nothing
   * written, when they are more than an edge can write or leave the memory. */
  int (*write_table)(void* model, uint32_t entry, const int32_t* values, int count);
  int (*out_valid)(void* model);
  void (*out)(void* model, int32_t* y, int lanes);
  uint32_t (*saturations)(void* model);
  /* Starts a VCD at `path`; 0 when this model was built without tracing. */
  int (*trace)(void* model, const char* path);
};

/* The one visible symbol of the library. */
__attribute__((visibility("default"))) const struct BwRtlApi* BwRtlGetApi(void);

#ifdef __cplusplus
}
#endif

#endif /* SIM_RTL_DUT_RTL_ABI_H_ */
