#include "sim/sysc/acc_sram.h"

#include <algorithm>

#include "models/arith/accumulate.h"

namespace bw::sysc {

void AccSram::Configure(MachineContext& context) {
  context_ = &context;
  const auto rows = static_cast<size_t>(timing::ArrayLatency(context.config)) + 2;
  sums_.Configure(context.clock, rows,
                  context.StallPoint(static_cast<uint64_t>(StallPoint::kSums)));
  for (size_t i = 0; i < ports_.size(); ++i) {
    const auto point = static_cast<uint64_t>(StallPoint::kAccRead) + i;
    ports_[i].Configure(context.clock, context.StallPoint(point));
  }
  entries_.assign(static_cast<size_t>(context.config.acc_entries), 0);
  bank_busy_.assign(static_cast<size_t>(context.config.array_cols), 0);
}

void AccSram::ServeReads() {
  bool any_bank_busy = false;
  const auto banks = static_cast<int64_t>(bank_busy_.size());
  for (AccPort& port : ports_) {
    if (!port.HasPending()) continue;
    AccAccess& access = port.Pending();
    if (!any_bank_busy) {
      std::fill(bank_busy_.begin(), bank_busy_.end(), uint8_t{0});
      any_bank_busy = true;
    }
    while (access.served < access.count) {
      const int64_t entry = access.first + access.served * access.stride;
      uint8_t& busy = bank_busy_[static_cast<size_t>(entry % banks)];
      if (busy != 0) break;
      busy = 1;
      access.value[static_cast<size_t>(access.served++)] = entries_[static_cast<size_t>(entry)];
    }
    if (access.served == access.count) {
      port.MarkServed();
    } else {
      port.MarkConflict();
    }
  }
}

void AccSram::Commit(const PartialSums& row) {
  int64_t* entries = entries_.data() + row.entry;
  const int unused = 64 - static_cast<int>(context_->config.acc_bits);
  // Wrapping as a mask and a sign flip, which every vector unit has (WrapToBits does the same).
  const uint64_t mask = ~uint64_t{0} >> unused;
  const uint64_t sign = (mask >> 1) + 1;
  const uint64_t keep = row.overwrite ? 0 : ~uint64_t{0};
  for (int i = 0; i < row.count; ++i) {
    const uint64_t old = static_cast<uint64_t>(entries[i]) & keep;
    const uint64_t sum = (old + static_cast<uint64_t>(row.sum[static_cast<size_t>(i)])) & mask;
    entries[i] = static_cast<int64_t>((sum ^ sign) - sign);
  }
}

void AccSram::Clock() {
  ServeReads();
  if (!sums_.HasEntry() || sums_.Front().due > context_->clock.now) return;
  const PartialSums& row = sums_.Front();
  Commit(row);
  const int64_t last_of = row.last_of;
  sums_.Pop();
  if (last_of >= 0) {
    context_->retirement.Landed(isa::Queue::kMac, static_cast<uint32_t>(last_of));
  }
}

}  // namespace bw::sysc
