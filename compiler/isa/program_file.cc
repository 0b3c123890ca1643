// .bwp: "BWPROG\n", u32 version, then sections (four letters, u64 length, contents), then the
// CRC-32 of everything before it. Numbers are little endian; vectors and strings carry a u64 length
// first.
#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "compiler/isa/program.h"
#include "compiler/isa/program_fields.h"
#include "models/status/file.h"

namespace bw::isa {
namespace {

constexpr std::string_view kMagic = "BWPROG\n";
constexpr uint32_t kVersion = 2;
constexpr const char* kCompileAgain = "compile the program again";

uint32_t Checksum(const uint8_t* bytes, size_t size) {
  return static_cast<uint32_t>(crc32_z(0, bytes, size));
}

class Writer {
 public:
  explicit Writer(std::vector<uint8_t>& out) : out_(out) {}

  template <typename T>
  void operator()(const T& value) {
    if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
      const auto* at = reinterpret_cast<const uint8_t*>(&value);
      out_.insert(out_.end(), at, at + sizeof value);
    } else {
      Visit(*this, const_cast<T&>(value));
    }
  }
  template <typename T>
  void operator()(const std::vector<T>& values) {
    (*this)(uint64_t{values.size()});
    for (const T& value : values) (*this)(value);
  }
  void operator()(const std::string& text) {
    (*this)(uint64_t{text.size()});
    out_.insert(out_.end(), text.begin(), text.end());
  }

 private:
  std::vector<uint8_t>& out_;
};

// Reads from bytes [at, end). After a failure everything reads as empty.
class Reader {
 public:
  Reader(const uint8_t* at, const uint8_t* end) : at_(at), end_(end) {}

  template <typename T>
  void operator()(T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      uint8_t raw = 0;
      (*this)(raw);
      if (raw > 1) ok_ = false;
      value = raw == 1;
    } else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
      if (!Has(sizeof value)) return;
      std::memcpy(&value, at_, sizeof value);
      at_ += sizeof value;
    } else {
      Visit(*this, value);
    }
  }
  void operator()(Memory& memory) {
    uint8_t raw = 0;
    (*this)(raw);
    if (raw > static_cast<uint8_t>(Memory::kDram)) ok_ = false;
    if (ok_) memory = static_cast<Memory>(raw);
  }
  template <typename T>
  void operator()(std::vector<T>& values) {
    // Grows element by element: a false length cannot make it take memory.
    for (uint64_t left = Length(); left > 0 && ok_; --left) (*this)(values.emplace_back());
  }
  void operator()(std::vector<uint8_t>& bytes) { TakeBytes(bytes); }
  void operator()(std::string& text) { TakeBytes(text); }

  bool ok() const { return ok_; }
  bool AtEnd() const { return at_ == end_; }

 private:
  bool Has(uint64_t n) {
    if (n > static_cast<uint64_t>(end_ - at_)) ok_ = false;
    return ok_;
  }
  // Every element takes at least a byte.
  uint64_t Length() {
    uint64_t n = 0;
    (*this)(n);
    return Has(n) ? n : 0;
  }
  template <typename Bytes>
  void TakeBytes(Bytes& bytes) {
    const uint64_t n = Length();
    bytes.assign(at_, at_ + n);
    at_ += n;
  }

  const uint8_t* at_;
  const uint8_t* end_;
  bool ok_ = true;
};

struct SectionWriter {
  std::vector<uint8_t>& out;
  template <typename... Members>
  void operator()(std::string_view tag, const Members&... members) {
    std::vector<uint8_t> contents;
    Writer write(contents);
    (write(members), ...);
    out.insert(out.end(), tag.begin(), tag.end());
    Writer append(out);
    append(uint64_t{contents.size()});
    out.insert(out.end(), contents.begin(), contents.end());
  }
};

// Walks the sections of [at, end); stops at the first that is not as it must be.
struct SectionReader {
  const uint8_t* begin;
  const uint8_t* at;
  const uint8_t* end;
  std::string problem;

  template <typename... Members>
  void operator()(std::string_view tag, Members&... members) {
    if (!problem.empty()) return;
    const auto where = at - begin;
    if (end - at < 12) {
      problem = fmt::format("ends at byte {}, before section {}", end - begin, tag);
      return;
    }
    if (std::string_view(reinterpret_cast<const char*>(at), 4) != tag) {
      problem = fmt::format("section {} is not at byte {}", tag, where);
      return;
    }
    uint64_t length = 0;
    std::memcpy(&length, at + 4, sizeof length);
    at += 12;
    if (length > static_cast<uint64_t>(end - at)) {
      problem = fmt::format("section {} at byte {} should have {} bytes, but {} are left", tag,
                            where, length, end - at);
      return;
    }
    Reader read(at, at + length);
    (read(members), ...);
    at += length;
    if (!read.ok() || !read.AtEnd()) {
      problem = fmt::format("contents of section {} at byte {} do not fit its length of {} bytes",
                            tag, where, length);
    }
  }
};

Error FileError(const std::string& file, std::string message, std::string hint) {
  Error error;
  error.file = file;
  error.message = std::move(message);
  error.hint = std::move(hint);
  return error;
}

// Magic and version; sets `sections` to where the sections start.
Status CheckHead(const std::vector<uint8_t>& bytes, const std::string& file, size_t& sections) {
  const size_t have = std::min(bytes.size(), kMagic.size());
  if (bytes.empty() || std::memcmp(bytes.data(), kMagic.data(), have) != 0) {
    return FileError(file, bytes.empty() ? "empty file" : "not a bitwright program",
                     "give a .bwp file made by `bitwright compile` or `bitwright asm`");
  }
  sections = kMagic.size() + sizeof kVersion;
  if (bytes.size() < sections + sizeof(uint32_t)) {
    return FileError(file, fmt::format("truncated: {} bytes", bytes.size()), kCompileAgain);
  }
  uint32_t version = 0;
  std::memcpy(&version, bytes.data() + kMagic.size(), sizeof version);
  if (version != kVersion) {
    return FileError(
        file, fmt::format("format version {}, this program reads version {}", version, kVersion),
        kCompileAgain);
  }
  return OkStatus();
}

}  // namespace

std::vector<uint8_t> SerialiseProgram(const Program& program) {
  std::vector<uint8_t> out(kMagic.begin(), kMagic.end());
  Writer write(out);
  write(kVersion);
  SectionWriter sections{out};
  std::string yaml = hwconfig::ToYaml(program.config);
  VisitSections(sections, const_cast<Program&>(program), yaml);
  write(Checksum(out.data(), out.size()));
  return out;
}

Result<Program> ParseProgram(const std::vector<uint8_t>& bytes, const std::string& file) {
  size_t first_section = 0;
  BW_RETURN_IF_ERROR(CheckHead(bytes, file, first_section));
  const uint8_t* end = bytes.data() + bytes.size() - sizeof(uint32_t);
  Program program;
  std::string yaml;
  SectionReader sections{bytes.data(), bytes.data() + first_section, end, {}};
  VisitSections(sections, program, yaml);
  if (sections.problem.empty() && sections.at != end) {
    sections.problem = fmt::format("{} bytes behind the last section", end - sections.at);
  }
  if (!sections.problem.empty()) {
    return FileError(file, "damaged or truncated: " + sections.problem, kCompileAgain);
  }
  uint32_t stored = 0;
  std::memcpy(&stored, end, sizeof stored);
  const uint32_t found = Checksum(bytes.data(), bytes.size() - sizeof stored);
  if (stored != found) {
    return FileError(file,
                     fmt::format("damaged: checksum {:08x}, contents give {:08x}", stored, found),
                     kCompileAgain);
  }
  BW_ASSIGN_OR_RETURN(program.config, hwconfig::ParseHwConfig(yaml, file + " (hardware config)"));
  BW_RETURN_IF_ERROR(VerifyProgram(program, file));
  return program;
}

Status WriteProgram(const Program& program, const std::string& path) {
  const std::vector<uint8_t> bytes = SerialiseProgram(program);
  return WriteFile(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

Result<Program> ReadProgram(const std::string& path) {
  BW_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  return ParseProgram({text.begin(), text.end()}, path);
}

}  // namespace bw::isa
