// How the MAC array takes an operation: as blocks that fit rows x cols.
#ifndef SIM_SYSC_MAC_BLOCKS_H_
#define SIM_SYSC_MAC_BLOCKS_H_

#include <cstdint>
#include <vector>

#include "compiler/isa/descriptor.h"
#include "models/hwconfig/hw_config.h"

namespace bw::sysc {

struct MacOperation {
  uint32_t instruction = 0;
  isa::MacDescriptor d;
  bool narrow = false;  // all operands fit 16 bits and a row of products int32
  bool output_stationary = false;
  int64_t pixels() const { return d.m0 * d.m1; }
};

// Consecutive input channels of one kernel tap, on rows `row`.. of the array. Offsets in bits from
// the operands' bases, and of the window coordinates.
struct KSegment {
  int64_t a = 0, b = 0, x = 0, y = 0;
  int row = 0, count = 0;
};

// What sits in the array at a time: weights k x n (weights stationary), or pixels x n outputs while
// k x n weights pass (output stationary), or one tap of n channels (depthwise).
struct MacBlock {
  const MacOperation* operation = nullptr;
  int64_t n_first = 0;
  int n_count = 0;
  int k_count = 0;
  std::vector<KSegment> segments;
  int64_t pixel_first = 0, pixel_count = 0;
  bool first_k = false, last_k = false;  // of its outputs
  bool first_of_channels = false;        // first block of these n: zero points and bias are read
  bool last = false;                     // of the operation

  // Operand B, loading: accesses of the prologue, then rows or columns of the block.
  bool by_column = false;
  int loads = 0, issued = 0, loaded = 0;
  // Weights minus their zero points, row k at k * pitch, the rest of a row 0; one of the two.
  int pitch = 0;
  std::vector<int16_t> narrow;
  std::vector<int32_t> wide;
  std::vector<int32_t> bias;
  // Output stationary: activations of the pixels, row p at p * array.rows.
  int64_t pixels_issued = 0, pixels_loaded = 0;
  std::vector<int32_t> activations;

  bool LoadsBias() const { return first_of_channels && operation->d.init == isa::AccInit::kBias; }
  bool LoadsZeroPoints() const { return first_of_channels && operation->d.b_zero_point_vector; }
  bool WeightsComplete() const { return loaded == loads; }
};

// Weights-stationary order: n, k. Output-stationary order: n, pixels, k. Blocks of rows take the
// flattened (k2, k1, k0) with `pack`, and one (k2, k1) each without.
class MacBlockSource {
 public:
  void Configure(const hwconfig::HwConfig& config);
  void Start(const MacOperation& operation);
  bool done() const { return operation_ == nullptr; }
  void Next(MacBlock& block);

 private:
  void TakeSegments(MacBlock& block);
  void TakeSegment(MacBlock& block, int rows);
  void PrepareLoads(MacBlock& block) const;

  int rows_ = 1, cols_ = 1;
  const MacOperation* operation_ = nullptr;
  int64_t n_ = 0, pixel_ = 0, k0_ = 0, k1_ = 0, k2_ = 0;
};

// `n` up to the width in which the array's inner loop works.
constexpr int MacPitch(int n) { return (n + 15) / 16 * 16; }

}  // namespace bw::sysc

#endif  // SIM_SYSC_MAC_BLOCKS_H_
