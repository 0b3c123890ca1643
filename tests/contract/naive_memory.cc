// The naive machine's memories, bit by bit, and its host operators.
#include <algorithm>

#include "tests/contract/naive_machine.h"
#include "tests/support/tflite_oracle.h"

namespace bw::contract {
namespace {

using isa::Memory;
using oracle::Wide;

int64_t GetBits(const std::vector<uint8_t>& memory, int64_t bit, int bits, bool is_signed) {
  int64_t value = 0;
  for (int i = 0; i < bits; ++i) {
    const int64_t at = bit + i;
    if ((memory.at(static_cast<size_t>(at / 8)) >> (at % 8) & 1) != 0) value += int64_t{1} << i;
  }
  const bool negative = is_signed && value >= int64_t{1} << (bits - 1);
  return negative ? value - (int64_t{1} << bits) : value;
}

void PutBits(std::vector<uint8_t>& memory, int64_t bit, int bits, int64_t value) {
  for (int i = 0; i < bits; ++i) {
    const int64_t at = bit + i;
    uint8_t& byte = memory.at(static_cast<size_t>(at / 8));
    const auto mask = static_cast<uint8_t>(1 << (at % 8));
    const bool one = (value >> i & 1) != 0;
    byte = static_cast<uint8_t>(one ? byte | mask : byte & ~mask);
  }
}

}  // namespace

void NaiveMachine::NoteRead(Memory memory, int64_t place) {
  if (touched_.empty()) return;
  Places& reads = touched_[current_].reads;
  reads.emplace_hint(reads.end(), memory, static_cast<uint64_t>(place));
}

void NaiveMachine::NoteWrite(Memory memory, int64_t place) {
  if (touched_.empty()) return;
  Places& writes = touched_[current_].writes;
  writes.emplace_hint(writes.end(), memory, static_cast<uint64_t>(place));
}

int64_t NaiveMachine::ReadSpm(int64_t bit, int bits, bool is_signed) {
  for (int64_t byte = bit / 8; byte * 8 < bit + bits; ++byte) NoteRead(Memory::kSpm, byte);
  return GetBits(spm_, bit, bits, is_signed);
}

void NaiveMachine::WriteSpm(int64_t bit, int bits, int64_t value) {
  PutBits(spm_, bit, bits, value);
  for (int i = 0; i < bits; i += 4) {
    spm_written_.at(static_cast<size_t>((bit + i) / 8)) = true;
    NoteWrite(Memory::kSpm, (bit + i) / 8);
  }
}

int64_t NaiveMachine::ReadDram(int64_t bit, int bits, bool is_signed) {
  for (int64_t byte = bit / 8; byte * 8 < bit + bits; ++byte) NoteRead(Memory::kDram, byte);
  return GetBits(dram_, bit, bits, is_signed);
}

void NaiveMachine::WriteDram(int64_t bit, int bits, int64_t value) {
  for (int64_t byte = bit / 8; byte * 8 < bit + bits; ++byte) NoteWrite(Memory::kDram, byte);
  PutBits(dram_, bit, bits, value);
}

int64_t NaiveMachine::ReadAcc(int64_t entry) {
  NoteRead(Memory::kAcc, entry);
  return acc_.at(static_cast<size_t>(entry));
}

void NaiveMachine::WriteAcc(int64_t entry, int64_t value) {
  NoteWrite(Memory::kAcc, entry);
  acc_.at(static_cast<size_t>(entry)) = value;
}

namespace {
std::vector<int32_t> TfliteRow(const std::vector<int32_t>& x, const std::vector<int32_t>& table) {
  const auto least = -static_cast<int32_t>(table.size()) + 1;
  return oracle_tflite::SoftmaxWith(x, least, [&](int32_t difference) {
    return oracle_tflite::F0::FromRaw(table[static_cast<size_t>(-difference)]);
  });
}
}  // namespace

// METHODS.md B6, rows along the last axis.
void NaiveMachine::RunHost(const isa::HostOp& op) {
  const bool tflite = op.kind == "tflite_softmax";
  BW_CHECK(op.kind == "softmax" || tflite, "host operator {}", op.kind);
  const auto address = [](const isa::IoTensor& io, const std::vector<int64_t>& index) {
    auto bit = static_cast<int64_t>(io.placement.base_bit);
    for (size_t i = 0; i < index.size(); ++i) bit += index[i] * io.placement.strides[i];
    return bit;
  };
  const isa::Placement& from = op.input.placement;
  const int64_t rows = op.input.shape.dims.at(0), length = op.input.shape.dims.at(1);
  for (int64_t row = 0; row < rows; ++row) {
    std::vector<int64_t> x;
    for (int64_t i = 0; i < length; ++i) {
      x.push_back(GetBits(dram_, address(op.input, {row, i}), from.bits, from.is_signed));
    }
    if (tflite) {
      const std::vector<int32_t> y = TfliteRow({x.begin(), x.end()}, op.table);
      for (int64_t i = 0; i < length; ++i) {
        PutBits(dram_, address(op.output, {row, i}), op.output.placement.bits,
                y[static_cast<size_t>(i)]);
      }
      continue;
    }
    const int64_t top = *std::max_element(x.begin(), x.end());
    Wide sum = 0;
    for (int64_t& v : x) {
      const auto distance = static_cast<size_t>(top - v);
      v = distance < op.table.size() ? op.table[distance] : op.table.back();
      sum += v;
    }
    for (int64_t i = 0; i < length; ++i) {
      const Wide nearest =
          oracle::Round(Wide{x[static_cast<size_t>(i)]} * op.one, sum, oracle::Rule::kTieUp);
      PutBits(dram_, address(op.output, {row, i}), op.output.placement.bits,
              static_cast<int64_t>(oracle::Clip(nearest, op.lo, op.hi)));
    }
  }
}

}  // namespace bw::contract
