// Reading FlatBuffers without their schema: tables, vectors and strings, every access checked
// against the buffer's bounds and for alignment.
#ifndef COMPILER_FRONTEND_TFLITE_FLAT_BUFFER_H_
#define COMPILER_FRONTEND_TFLITE_FLAT_BUFFER_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bw::frontend::tflite {

class FlatTable;

// The bytes, and the first thing that was found wrong with them. After that, every read gives its
// default and every vector is empty, so that readers need to ask only now and then.
class FlatBuffer {
 public:
  explicit FlatBuffer(std::string_view bytes);
  FlatBuffer(const FlatBuffer&) = delete;  // tables point here
  FlatBuffer& operator=(const FlatBuffer&) = delete;

  FlatTable Root();
  // Bytes 4 to 7, or less in a shorter file.
  std::string_view Identifier() const;
  const std::optional<std::string>& problem() const { return problem_; }
  void Note(std::string problem);

  // The number at a byte position; 0 when it is outside or misaligned. FlatBuffers are
  // little-endian, as are the machines that this program is built for.
  template <typename T>
  T Read(size_t at) {
    T value{};
    if (Check(at, sizeof(T), sizeof(T))) std::memcpy(&value, bytes_.data() + at, sizeof(T));
    return value;
  }
  // Where the 32-bit offset at `at` points; 0 when that is not inside.
  size_t Follow(size_t at);
  // The bytes of the vector at `at`, which has elements of `size` bytes.
  std::string_view VectorBytes(size_t at, size_t size);
  // Counts what is copied out of the buffer. Each byte may be read a few times over and no more:
  // vectors that overlap could make a small file hold quadratically much.
  bool Spend(size_t bytes);

 private:
  bool Check(size_t at, size_t size, size_t alignment);

  const std::string_view bytes_;
  std::optional<std::string> problem_;
  size_t budget_;
};

// One table, or none (a default-constructed one), of which every field is absent.
class FlatTable {
 public:
  FlatTable() = default;
  FlatTable(FlatBuffer* buffer, size_t at);

  explicit operator bool() const { return buffer_ != nullptr; }

  // Fields by their number in the schema, counted from 0 (a union takes two).
  template <typename T>
  T Scalar(int field, T otherwise) const {
    const size_t at = Find(field, sizeof(T));
    return at == 0 ? otherwise : buffer_->Read<T>(at);
  }
  template <typename T>
  std::vector<T> Vector(int field) const {
    const std::string_view bytes = Bytes(field, sizeof(T));
    std::vector<T> values;
    if (bytes.empty() || !buffer_->Spend(bytes.size())) return values;
    values.resize(bytes.size() / sizeof(T));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
  std::vector<FlatTable> Tables(int field) const;
  std::string String(int field) const;
  FlatTable Table(int field) const;
  // The bytes of a string, or of a vector with elements of `size` bytes; they live as long as the
  // buffer's.
  std::string_view Bytes(int field, size_t size = 1) const;

 private:
  // Position of a field of `size` bytes, 0 when it is absent.
  size_t Find(int field, size_t size) const;

  FlatBuffer* buffer_ = nullptr;
  size_t at_ = 0;
  size_t vtable_ = 0;
  size_t vtable_bytes_ = 0;
  size_t table_bytes_ = 0;
};

}  // namespace bw::frontend::tflite

#endif  // COMPILER_FRONTEND_TFLITE_FLAT_BUFFER_H_
