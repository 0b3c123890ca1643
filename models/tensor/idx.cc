#include "models/tensor/idx.h"

#include <fmt/format.h>
#include <zlib.h>

#include <optional>
#include <utility>
#include <vector>

#include "models/status/file.h"

namespace bw::tensor {
namespace {

constexpr uint64_t kMaxUnpacked = uint64_t{1} << 32;

Error IdxError(const std::string& file, std::string message) {
  return Error{file, 0, 0, "", std::move(message), ""};
}

std::optional<DType> TypeOf(uint8_t code) {
  switch (code) {
    case 0x08:
      return DType::kU8;
    case 0x09:
      return DType::kI8;
    case 0x0b:
      return DType::kI16;
    case 0x0c:
      return DType::kI32;
    case 0x0d:
      return DType::kF32;
    case 0x0e:
      return DType::kF64;
    default:
      return std::nullopt;
  }
}

uint8_t ByteAt(std::string_view bytes, size_t i) { return static_cast<uint8_t>(bytes[i]); }

Result<std::string> Gunzip(std::string_view packed, const std::string& file) {
  z_stream stream = {};
  if (inflateInit2(&stream, 15 + 16) != Z_OK) return IdxError(file, "cannot start to unpack");
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  std::string unpacked;
  char chunk[1 << 16];
  int state = Z_OK;
  while (state == Z_OK && unpacked.size() < kMaxUnpacked) {
    stream.next_out = reinterpret_cast<Bytef*>(chunk);
    stream.avail_out = sizeof chunk;
    state = inflate(&stream, Z_NO_FLUSH);
    unpacked.append(chunk, sizeof chunk - stream.avail_out);
  }
  inflateEnd(&stream);
  if (state != Z_STREAM_END) return IdxError(file, "the gzip data is damaged or cut short");
  return unpacked;
}

bool EndsWith(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

}  // namespace

Result<Tensor> ParseIdx(std::string_view bytes, const std::string& file) {
  if (bytes.size() < 4 || bytes[0] != 0 || bytes[1] != 0) {
    return IdxError(file, "not an IDX file: it does not start with two zero bytes");
  }
  const std::optional<DType> dtype = TypeOf(ByteAt(bytes, 2));
  if (!dtype) return IdxError(file, fmt::format("IDX element type {}", ByteAt(bytes, 2)));
  const size_t rank = ByteAt(bytes, 3);
  if (rank < 1 || rank > 8)
    return IdxError(file, fmt::format("IDX rank {}; allowed is 1..8", rank));
  const size_t header = 4 + 4 * rank;
  if (bytes.size() < header) return IdxError(file, "the IDX header is cut short");
  Shape shape;
  for (size_t axis = 0; axis < rank; ++axis) {
    int64_t extent = 0;
    for (size_t k = 0; k < 4; ++k) extent = extent * 256 + ByteAt(bytes, 4 + 4 * axis + k);
    shape.dims.push_back(extent);
  }
  const size_t width = DTypeSize(*dtype);
  const std::optional<int64_t> elements = shape.CheckedElements();
  const size_t available = bytes.size() - header;
  if (!elements || static_cast<uint64_t>(*elements) != available / width ||
      available % width != 0) {
    return IdxError(file, fmt::format("{} bytes of values for IDX shape {} of {}", available,
                                      shape.ToString(), DTypeName(*dtype)));
  }
  Tensor tensor(*dtype, std::move(shape));
  const size_t last = width - 1;
  for (size_t i = 0; i < available; ++i) {  // big-endian values
    tensor.bytes()[i / width * width + last - i % width] = ByteAt(bytes, header + i);
  }
  return tensor;
}

Result<Tensor> ReadIdx(const std::string& path) {
  BW_ASSIGN_OR_RETURN(std::string bytes, ReadFile(path));
  if (bytes.size() >= 2 && ByteAt(bytes, 0) == 0x1f && ByteAt(bytes, 1) == 0x8b) {
    BW_ASSIGN_OR_RETURN(bytes, Gunzip(bytes, path));
  }
  return ParseIdx(bytes, path);
}

bool IsIdxName(std::string_view path) {
  if (EndsWith(path, ".gz")) path.remove_suffix(3);
  return EndsWith(path, ".idx") || EndsWith(path, "-ubyte");
}

}  // namespace bw::tensor
