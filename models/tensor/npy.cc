#include "models/tensor/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>

#include "models/status/file.h"

namespace bw::tensor {
namespace {

constexpr std::string_view kMagic("\x93NUMPY", 6);
constexpr size_t kMaxRank = 32;  // numpy's own limit

struct TypeCode {
  DType dtype;
  std::string_view code;
};
constexpr TypeCode kTypeCodes[] = {
    {DType::kF32, "<f4"}, {DType::kF64, "<f8"}, {DType::kI8, "|i1"},
    {DType::kU8, "|u1"},  {DType::kI16, "<i2"}, {DType::kU16, "<u2"},
    {DType::kI32, "<i4"}, {DType::kI64, "<i8"}, {DType::kBool, "|b1"}};

// What the header says.
struct Header {
  std::string code;
  bool fortran = false;
  std::vector<int64_t> dims;
};

// Reads the Python literal {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }.
class HeaderReader {
 public:
  explicit HeaderReader(std::string_view text) : text_(text) {}

  std::optional<Header> Read() {
    Header header;
    bool have_code = false, have_order = false, have_shape = false;
    if (!Take('{')) return std::nullopt;
    while (!Take('}')) {
      std::string key;
      if (!ReadString(&key) || !Take(':')) return std::nullopt;
      bool* have = key == "descr"           ? &have_code
                   : key == "fortran_order" ? &have_order
                   : key == "shape"         ? &have_shape
                                            : nullptr;
      if (have == nullptr || *have) return std::nullopt;
      *have = have == &have_code    ? ReadString(&header.code)
              : have == &have_order ? ReadBool(&header.fortran)
                                    : ReadShape(&header.dims);
      if (!*have) return std::nullopt;
      if (!Take(',') && Peek() != '}') return std::nullopt;
    }
    SkipSpace();
    if (!text_.empty() || !have_code || !have_order || !have_shape) return std::nullopt;
    return header;
  }

 private:
  void SkipSpace() {
    while (!text_.empty() && (text_[0] == ' ' || text_[0] == '\n' || text_[0] == '\t')) {
      text_.remove_prefix(1);
    }
  }
  char Peek() {
    SkipSpace();
    return text_.empty() ? '\0' : text_[0];
  }
  bool Take(char wanted) {
    if (Peek() != wanted || text_.empty()) return false;
    text_.remove_prefix(1);
    return true;
  }
  bool TakeWord(std::string_view word) {
    SkipSpace();
    if (text_.substr(0, word.size()) != word) return false;
    text_.remove_prefix(word.size());
    return true;
  }
  bool ReadString(std::string* value) {
    const char quote = Peek();
    if (quote != '\'' && quote != '"') return false;
    const size_t end = text_.find(quote, 1);
    if (end == std::string_view::npos) return false;
    *value = std::string(text_.substr(1, end - 1));
    text_.remove_prefix(end + 1);
    return true;
  }
  bool ReadBool(bool* value) {
    *value = TakeWord("True");
    return *value || TakeWord("False");
  }
  // (), (3,), (2, 3): extents within int64, at most kMaxRank of them.
  bool ReadShape(std::vector<int64_t>* dims) {
    if (!Take('(')) return false;
    while (!Take(')')) {
      SkipSpace();
      int64_t extent = 0;
      const auto [rest, failure] =
          std::from_chars(text_.data(), text_.data() + text_.size(), extent);
      if (failure != std::errc() || extent < 0 || dims->size() == kMaxRank) return false;
      text_.remove_prefix(static_cast<size_t>(rest - text_.data()));
      dims->push_back(extent);
      if (!Take(',') && Peek() != ')') return false;
    }
    return true;
  }

  std::string_view text_;
};

std::string KnownTypes() {
  std::string names;
  for (const TypeCode& type : kTypeCodes) {
    if (!names.empty()) names += ", ";
    names += DTypeName(type.dtype);
  }
  return names;
}

// numpy writes |i1, other programs also <i1 or =i1.
std::optional<DType> FindType(const std::string& code) {
  for (const TypeCode& type : kTypeCodes) {
    if (code == type.code) return type.dtype;
    const bool one_byte = type.code[0] == '|';
    if (one_byte && code.size() == 3 && code.substr(1) == type.code.substr(1)) return type.dtype;
  }
  return std::nullopt;
}

// Column-major `from` to row-major `to`, elements of `size` bytes.
void Transpose(const uint8_t* from, const Shape& shape, size_t size, uint8_t* to) {
  const size_t rank = shape.dims.size();
  std::vector<int64_t> index(rank, 0);
  std::vector<size_t> strides(rank, size);  // bytes in `from`
  for (size_t axis = 1; axis < rank; ++axis) {
    strides[axis] = strides[axis - 1] * static_cast<size_t>(shape.dims[axis - 1]);
  }
  const int64_t elements = shape.Elements();
  size_t source = 0;
  for (int64_t i = 0; i < elements; ++i, to += size) {
    std::memcpy(to, from + source, size);
    for (size_t axis = rank; axis-- > 0;) {  // counts up in row-major order
      source += strides[axis];
      if (++index[axis] < shape.dims[axis]) break;
      source -= strides[axis] * static_cast<size_t>(shape.dims[axis]);
      index[axis] = 0;
    }
  }
}

// Bytes before the header text, and its length.
struct Prologue {
  size_t begin = 0;
  size_t length = 0;
};

std::optional<Prologue> ReadPrologue(std::string_view bytes, int version) {
  const size_t width = version == 1 ? 2 : 4;
  const size_t begin = kMagic.size() + 2 + width;
  if (bytes.size() < begin) return std::nullopt;
  size_t length = 0;
  for (size_t i = 0; i < width; ++i) {
    length |= static_cast<size_t>(static_cast<uint8_t>(bytes[kMagic.size() + 2 + i])) << (8 * i);
  }
  if (length > bytes.size() - begin) return std::nullopt;
  return Prologue{begin, length};
}

Tensor Fill(std::string_view data, DType dtype, const Header& header) {
  Tensor tensor(dtype, Shape(header.dims));
  const auto* from = reinterpret_cast<const uint8_t*>(data.data());
  if (header.fortran) {
    Transpose(from, tensor.shape(), DTypeSize(dtype), tensor.bytes());
  } else if (!data.empty()) {
    std::memcpy(tensor.bytes(), from, data.size());
  }
  if (dtype == DType::kBool) {  // any other byte would not be a C++ bool
    for (size_t i = 0; i < tensor.byte_size(); ++i) tensor.bytes()[i] = tensor.bytes()[i] != 0;
  }
  return tensor;
}

}  // namespace

Result<Tensor> ParseNpy(std::string_view bytes, const std::string& file, const std::string& place) {
  const auto error = [&](std::string message, std::string hint = "") {
    return Error{file, 0, 0, place, std::move(message), std::move(hint)};
  };
  if (bytes.substr(0, kMagic.size()) != kMagic) return error("not a .npy array: wrong magic");
  if (bytes.size() < kMagic.size() + 2) return error("truncated in the .npy header");
  const int version = static_cast<uint8_t>(bytes[kMagic.size()]);
  if (version != 1 && version != 2) {
    return error(fmt::format(".npy version {} is not supported; allowed 1, 2", version));
  }
  const std::optional<Prologue> prologue = ReadPrologue(bytes, version);
  if (!prologue.has_value()) return error("truncated in the .npy header");
  const std::optional<Header> header =
      HeaderReader(bytes.substr(prologue->begin, prologue->length)).Read();
  if (!header.has_value()) return error("the .npy header is broken");

  const std::optional<DType> dtype = FindType(header->code);
  if (!dtype.has_value()) {
    const bool big_endian = !header->code.empty() && header->code[0] == '>';
    return error(fmt::format("element type '{}' is not supported; allowed {}",
                             header->code.substr(0, 20), KnownTypes()),
                 big_endian ? "big-endian: save as little-endian, as in a.astype('<f4')"
                            : "convert with numpy's astype");
  }
  const Shape shape(header->dims);
  const std::string_view data = bytes.substr(prologue->begin + prologue->length);
  const std::optional<int64_t> elements = shape.CheckedElements();
  const uint64_t available = data.size() / DTypeSize(*dtype);
  if (!elements.has_value() || static_cast<uint64_t>(*elements) > available) {
    return error(fmt::format("truncated: shape {} of {} does not fit into {} bytes of data",
                             shape.ToString(), DTypeName(*dtype), data.size()));
  }
  const size_t needed = static_cast<size_t>(*elements) * DTypeSize(*dtype);
  if (needed != data.size()) {
    return error(fmt::format("{} bytes follow the data of shape {}", data.size() - needed,
                             shape.ToString()));
  }
  return Fill(data, *dtype, *header);
}

std::string NpyBytes(const Tensor& tensor) {
  const auto* type =
      std::find_if(std::begin(kTypeCodes), std::end(kTypeCodes),
                   [&](const TypeCode& known) { return known.dtype == tensor.dtype(); });
  std::string shape;
  for (const int64_t extent : tensor.shape().dims) shape += fmt::format("{}, ", extent);
  if (tensor.shape().rank() > 1) shape.resize(shape.size() - 2);
  if (tensor.shape().rank() == 1) shape.resize(shape.size() - 1);
  std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", type->code, shape);
  constexpr size_t kPrologue = 10;
  constexpr size_t kAlign = 64;  // as numpy does, so that data can be mapped
  header.append(kAlign - 1 - (kPrologue + header.size()) % kAlign, ' ');
  header += '\n';

  std::string bytes(kMagic);
  bytes += '\x01';
  bytes += '\x00';
  bytes += static_cast<char>(header.size() & 0xff);
  bytes += static_cast<char>(header.size() >> 8);
  bytes += header;
  bytes.append(reinterpret_cast<const char*>(tensor.bytes()), tensor.byte_size());
  return bytes;
}

Status WriteNpy(const std::string& path, const Tensor& tensor) {
  return WriteFile(path, NpyBytes(tensor));
}

}  // namespace bw::tensor
