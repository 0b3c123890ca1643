#include "compiler/schedule/registers.h"

#include <algorithm>

namespace bw::schedule {

std::vector<isa::Instruction> RegisterState::Configure(isa::Queue queue,
                                                       const std::vector<RegisterValue>& values) {
  constexpr size_t kPerInstruction = 3;
  File& file = files_[static_cast<size_t>(queue)];
  std::bitset<isa::kRegisters> changed;
  for (const RegisterValue& r : values) {
    if (file.known[r.index] && file.value[r.index] == r.value) continue;
    file.known.set(r.index);
    file.value[r.index] = r.value;
    changed.set(r.index);
  }
  std::vector<isa::Instruction> made;
  for (size_t i = 0; i < isa::kRegisters; ++i) {
    if (!changed[i]) continue;
    // Registers in between that keep their value ride along; one that was never written becomes 0.
    size_t last = i;
    for (size_t j = i; j < std::min<size_t>(i + kPerInstruction, isa::kRegisters); ++j) {
      if (changed[j]) last = j;
    }
    isa::Instruction cfg;
    cfg.opcode = isa::Opcode::kCfg;
    cfg.queue = queue;
    cfg.cfg.first = static_cast<uint8_t>(i);
    cfg.cfg.count = static_cast<uint8_t>(last - i + 1);
    for (size_t j = i; j <= last; ++j) {
      cfg.cfg.v[j - i] = file.value[j];
      file.known.set(j);
    }
    made.push_back(cfg);
    i = last;
  }
  return made;
}

void PlaceConfiguration(std::vector<Operation>& operations, RegisterState& state) {
  for (Operation& operation : operations) {
    operation.cfg = state.Configure(operation.queue(), operation.registers);
  }
}

}  // namespace bw::schedule
