#include "compiler/frontend/tflite/flat_buffer.h"

#include <fmt/format.h>

#include <algorithm>

namespace bw::frontend::tflite {
namespace {

constexpr size_t kOffsetBytes = 4;
constexpr size_t kIdentifierBytes = 4;
// Vectors may be read four times over, and small files may share more.
constexpr size_t kBudgetFactor = 4;
constexpr size_t kLeastBudget = 4096;
// What a table counts for, beside the offset to it.
constexpr size_t kTableBytes = 12;
constexpr size_t kMostTables = size_t{1} << 20;

}  // namespace

FlatBuffer::FlatBuffer(std::string_view bytes)
    : bytes_(bytes), budget_(kBudgetFactor * bytes.size() + kLeastBudget) {}

std::string_view FlatBuffer::Identifier() const {
  return bytes_.substr(std::min(kOffsetBytes, bytes_.size()), kIdentifierBytes);
}

void FlatBuffer::Note(std::string problem) {
  if (!problem_) problem_ = std::move(problem);
}

bool FlatBuffer::Check(size_t at, size_t size, size_t alignment) {
  if (problem_) return false;
  if (at > bytes_.size() || size > bytes_.size() - at) {
    Note(fmt::format("{} bytes at position {} are outside of the file's {} bytes", size, at,
                     bytes_.size()));
  } else if (at % alignment != 0) {
    Note(fmt::format("position {} is not a multiple of {}", at, alignment));
  }
  return !problem_;
}

bool FlatBuffer::Spend(size_t bytes) {
  if (problem_) return false;
  if (bytes > budget_) {
    Note(fmt::format("its vectors overlap so that they hold more than {} times the file's {} bytes",
                     kBudgetFactor, bytes_.size()));
    return false;
  }
  budget_ -= bytes;
  return true;
}

size_t FlatBuffer::Follow(size_t at) {
  const auto offset = Read<uint32_t>(at);
  if (problem_) return 0;
  if (offset < kOffsetBytes || offset >= bytes_.size() - at) {
    Note(fmt::format("the offset {} at position {} leaves the file's {} bytes", offset, at,
                     bytes_.size()));
    return 0;
  }
  return at + offset;
}

std::string_view FlatBuffer::VectorBytes(size_t at, size_t size) {
  const auto count = Read<uint32_t>(at);
  if (problem_) return {};
  const size_t begin = at + kOffsetBytes;
  if (count > (bytes_.size() - begin) / size) {
    Note(
        fmt::format("the vector at position {} has {} elements of {} bytes, more than the rest of "
                    "the file",
                    at, count, size));
    return {};
  }
  if (!Check(begin, count * size, count == 0 ? 1 : size)) return {};
  return bytes_.substr(begin, count * size);
}

FlatTable FlatBuffer::Root() {
  const size_t at = Follow(0);
  return problem_ ? FlatTable() : FlatTable(this, at);
}

FlatTable::FlatTable(FlatBuffer* buffer, size_t at) : buffer_(buffer), at_(at) {
  // The vtable lies this far before the table, or behind it when the number is negative.
  const int64_t vtable = static_cast<int64_t>(at) - buffer->Read<int32_t>(at);
  if (vtable < 0) buffer->Note(fmt::format("the table at position {} has no field list", at));
  vtable_ = static_cast<size_t>(std::max<int64_t>(vtable, 0));
  vtable_bytes_ = buffer->Read<uint16_t>(vtable_);
  if (buffer->problem()) return;
  table_bytes_ = buffer->Read<uint16_t>(vtable_ + sizeof(uint16_t));
}

size_t FlatTable::Find(int field, size_t size) const {
  if (buffer_ == nullptr || buffer_->problem()) return 0;
  const size_t entry = (2 + static_cast<size_t>(field)) * sizeof(uint16_t);
  if (entry + sizeof(uint16_t) > vtable_bytes_) return 0;
  const size_t offset = buffer_->Read<uint16_t>(vtable_ + entry);
  if (offset == 0) return 0;
  if (offset + size > table_bytes_) {
    buffer_->Note(
        fmt::format("field {} at {} of the table at position {} is outside of its {} "
                    "bytes",
                    field, offset, at_, table_bytes_));
    return 0;
  }
  return at_ + offset;
}

std::string_view FlatTable::Bytes(int field, size_t size) const {
  const size_t at = Find(field, kOffsetBytes);
  if (at == 0) return {};
  const size_t vector = buffer_->Follow(at);
  return buffer_->problem() ? std::string_view() : buffer_->VectorBytes(vector, size);
}

std::string FlatTable::String(int field) const {
  const std::string_view bytes = Bytes(field);
  if (bytes.empty() || !buffer_->Spend(bytes.size())) return {};
  return std::string(bytes);
}

FlatTable FlatTable::Table(int field) const {
  const size_t at = Find(field, kOffsetBytes);
  if (at == 0) return {};
  const size_t table = buffer_->Follow(at);
  return buffer_->problem() ? FlatTable() : FlatTable(buffer_, table);
}

std::vector<FlatTable> FlatTable::Tables(int field) const {
  const size_t field_at = Find(field, kOffsetBytes);
  if (field_at == 0) return {};
  const size_t vector = buffer_->Follow(field_at);
  if (buffer_->problem()) return {};
  const std::string_view bytes = buffer_->VectorBytes(vector, kOffsetBytes);
  const size_t count = bytes.size() / kOffsetBytes;
  if (count > kMostTables) {
    buffer_->Note(fmt::format("a vector has {} tables; at most {} are read", count, kMostTables));
  }
  if (!buffer_->Spend(count * (kOffsetBytes + kTableBytes))) return {};
  std::vector<FlatTable> tables;
  for (size_t i = 0; i < bytes.size() && !buffer_->problem(); i += kOffsetBytes) {
    const size_t table = buffer_->Follow(vector + kOffsetBytes + i);
    if (!buffer_->problem()) tables.emplace_back(buffer_, table);
  }
  return tables;
}

}  // namespace bw::frontend::tflite
