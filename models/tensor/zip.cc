#include "models/tensor/zip.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <optional>

namespace bw::tensor {
namespace {

// PKWARE's APPNOTE.TXT: records with their signature and fixed size.
constexpr uint32_t kEndSignature = 0x06054b50;
constexpr size_t kEndSize = 22;
constexpr size_t kMaxComment = 65535;
constexpr uint32_t kCentralSignature = 0x02014b50;
constexpr size_t kCentralSize = 46;
constexpr uint32_t kLocalSignature = 0x04034b50;
constexpr size_t kLocalSize = 30;
constexpr uint16_t kEncrypted = 1;
constexpr uint16_t kStored = 0;
constexpr uint16_t kDeflated = 8;
constexpr uint32_t kZip64 = 0xffffffff;  // "see the zip64 record"

uint32_t Load(std::string_view bytes, size_t at, int width) {
  uint32_t value = 0;
  for (int i = 0; i < width; ++i) {
    value |= static_cast<uint32_t>(static_cast<uint8_t>(bytes[at + static_cast<size_t>(i)]))
             << (8 * i);
  }
  return value;
}
uint16_t Load16(std::string_view bytes, size_t at) {
  return static_cast<uint16_t>(Load(bytes, at, 2));
}
uint32_t Load32(std::string_view bytes, size_t at) { return Load(bytes, at, 4); }

// Whether `size` bytes stand at `at`.
bool Holds(std::string_view bytes, uint64_t at, uint64_t size) {
  return at <= bytes.size() && size <= bytes.size() - at;
}

// The end record is the last thing in the file but for a comment of at most 65535 bytes.
std::optional<size_t> FindEnd(std::string_view archive) {
  if (archive.size() < kEndSize) return std::nullopt;
  const size_t last = archive.size() - kEndSize;
  const size_t first = last > kMaxComment ? last - kMaxComment : 0;
  for (size_t at = last + 1; at-- > first;) {
    if (Load32(archive, at) != kEndSignature) continue;
    if (Load16(archive, at + 20) == archive.size() - at - kEndSize) return at;
  }
  return std::nullopt;
}

ZipEntry LoadEntry(std::string_view archive, size_t at) {
  ZipEntry entry;
  entry.flags = Load16(archive, at + 8);
  entry.method = Load16(archive, at + 10);
  entry.crc = Load32(archive, at + 16);
  entry.compressed_size = Load32(archive, at + 20);
  entry.size = Load32(archive, at + 24);
  entry.offset = Load32(archive, at + 42);
  return entry;
}

// The packed bytes of a member, or nothing when they are not all there.
std::optional<std::string_view> PackedBytes(std::string_view archive, const ZipEntry& entry) {
  if (!Holds(archive, entry.offset, kLocalSize)) return std::nullopt;
  if (Load32(archive, entry.offset) != kLocalSignature) return std::nullopt;
  // Sizes of the local header may be left open; only the lengths of its names count.
  const uint64_t begin = uint64_t{entry.offset} + kLocalSize + Load16(archive, entry.offset + 26) +
                         Load16(archive, entry.offset + 28);
  if (!Holds(archive, begin, entry.compressed_size)) return std::nullopt;
  return archive.substr(begin, entry.compressed_size);
}

// Raw deflate; nothing when the stream is broken or does not give exactly `size` bytes.
std::optional<std::string> Inflate(std::string_view packed, size_t size) {
  z_stream stream = {};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return std::nullopt;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  std::string out;
  char chunk[1 << 16];
  int code = Z_OK;
  while (code == Z_OK && out.size() <= size) {
    stream.next_out = reinterpret_cast<Bytef*>(chunk);
    stream.avail_out = sizeof chunk;
    code = inflate(&stream, Z_NO_FLUSH);
    out.append(chunk, sizeof chunk - stream.avail_out);
  }
  inflateEnd(&stream);
  if (code != Z_STREAM_END || out.size() != size) return std::nullopt;
  return out;
}

}  // namespace

Result<std::vector<ZipEntry>> ListZip(std::string_view archive, const std::string& file) {
  const auto error = [&](std::string message) { return Error{file, 0, 0, "", message, ""}; };
  const std::optional<size_t> end = FindEnd(archive);
  if (!end.has_value()) return error("not a zip archive, or truncated: no end record");
  const uint32_t count = Load16(archive, *end + 10);
  size_t at = Load32(archive, *end + 16);
  if (at == kZip64 || count == 0xffff) return error("zip64 archives are not supported");

  std::vector<ZipEntry> entries;
  for (uint32_t i = 0; i < count; ++i) {
    if (!Holds(archive, at, kCentralSize) || Load32(archive, at) != kCentralSignature) {
      return error(fmt::format("the zip directory is broken at entry {} of {}", i + 1, count));
    }
    const size_t name = Load16(archive, at + 28);
    const size_t rest = size_t{Load16(archive, at + 30)} + Load16(archive, at + 32);
    if (!Holds(archive, at + kCentralSize, name + rest)) {
      return error(fmt::format("the zip directory is broken at entry {} of {}", i + 1, count));
    }
    entries.push_back(LoadEntry(archive, at));
    entries.back().name = std::string(archive.substr(at + kCentralSize, name));
    at += kCentralSize + name + rest;
  }
  return entries;
}

Result<std::string> ExtractZip(std::string_view archive, const ZipEntry& entry,
                               const std::string& file) {
  const auto error = [&](std::string message) {
    return Error{file, 0, 0, entry.name, message, ""};
  };
  if ((entry.flags & kEncrypted) != 0) return error("is encrypted");
  if (entry.method != kStored && entry.method != kDeflated) {
    return error(fmt::format("zip method {} is not supported; allowed 0 (stored), 8 (deflated)",
                             entry.method));
  }
  if (entry.size == kZip64 || entry.compressed_size == kZip64 || entry.offset == kZip64) {
    return error("zip64 members are not supported");
  }
  const std::optional<std::string_view> packed = PackedBytes(archive, entry);
  if (!packed.has_value()) return error("truncated: its bytes are not all in the archive");
  std::optional<std::string> contents;
  if (entry.method == kDeflated) {
    contents = Inflate(*packed, entry.size);
  } else if (packed->size() == entry.size) {
    contents = std::string(*packed);
  }
  if (!contents.has_value()) {
    return error(fmt::format("does not unpack to its {} bytes", entry.size));
  }
  const uLong crc = crc32_z(0, reinterpret_cast<const Bytef*>(contents->data()), contents->size());
  if (crc != entry.crc) {
    return error(fmt::format("checksum is {:08x}, the archive says {:08x}", crc, entry.crc));
  }
  return *std::move(contents);
}

}  // namespace bw::tensor
