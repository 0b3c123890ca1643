// Steps through the elements of a load or store, c0 fastest, in stretches that are alike.
#ifndef SIM_SYSC_TRANSFER_WALKER_H_
#define SIM_SYSC_TRANSFER_WALKER_H_

#include <array>
#include <cstdint>

#include "compiler/isa/descriptor.h"

namespace bw::sysc {

class TransferWalker {
 public:
  TransferWalker() = default;
  explicit TransferWalker(const isa::TransferDescriptor& transfer);

  bool done() const { return done_; }
  // Of the element to come.
  int64_t dram_bit() const { return dram_bit_; }
  int64_t local_bit() const { return local_bit_; }
  bool Inside() const {
    return outer_inside_ && counter_[0] >= transfer_.lo[0] && counter_[0] < transfer_.hi[0];
  }
  // Elements from here on, within c0, that are all inside or all outside.
  int64_t Stretch() const;
  bool AtRunStart() const { return counter_[0] == 0; }
  // Over `elements` elements, at most a stretch.
  void Advance(int64_t elements);

 private:
  void NextRun();
  void FindOuterInside();

  isa::TransferDescriptor transfer_;
  std::array<int64_t, isa::kCounters> counter_{};
  int64_t dram_bit_ = 0, local_bit_ = 0;
  bool outer_inside_ = false;
  bool done_ = true;
};

}  // namespace bw::sysc

#endif  // SIM_SYSC_TRANSFER_WALKER_H_
