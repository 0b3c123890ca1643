#include "models/status/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace bw {
namespace {

Error FileError(const std::string& path, const std::string& doing, int code) {
  return {path, 0, 0, "", fmt::format("cannot {}: {}", doing, std::strerror(code)), ""};
}

Error TooLarge(const std::string& path, uint64_t max_bytes) {
  return {
      path, 0, 0, "", fmt::format("larger than {} bytes, which is more than fits here", max_bytes),
      ""};
}

// Closes on every way out.
struct Descriptor {
  int number = -1;
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
};

Status WriteAll(int descriptor, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return FileError(path, "write", errno);
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return OkStatus();
}

}  // namespace

Result<std::string> ReadFile(const std::string& path, uint64_t max_bytes) {
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.number < 0) return FileError(path, "open", errno);
  struct stat status = {};
  if (::fstat(file.number, &status) != 0) return FileError(path, "open", errno);
  if (S_ISDIR(status.st_mode)) return FileError(path, "read", EISDIR);
  const uint64_t size = S_ISREG(status.st_mode) ? static_cast<uint64_t>(status.st_size) : 0;
  if (size > max_bytes) return TooLarge(path, max_bytes);

  std::string bytes;
  bytes.reserve(size + 1);
  char chunk[1 << 16];
  for (;;) {
    const ssize_t got = ::read(file.number, chunk, sizeof chunk);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return FileError(path, "read", errno);
    if (got == 0) return bytes;
    bytes.append(chunk, static_cast<size_t>(got));
    if (bytes.size() > max_bytes) return TooLarge(path, max_bytes);
  }
}

Status WriteFile(const std::string& path, std::string_view bytes) {
  const std::string fresh = fmt::format("{}.{}.new", path, ::getpid());
  {
    const Descriptor file{::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)};
    if (file.number < 0) return FileError(path, "write", errno);
    const Status written = WriteAll(file.number, bytes, path);
    if (!written.ok()) {
      ::unlink(fresh.c_str());
      return written;
    }
  }
  if (::rename(fresh.c_str(), path.c_str()) != 0) {
    const int code = errno;
    ::unlink(fresh.c_str());
    return FileError(path, "write", code);
  }
  return OkStatus();
}

}  // namespace bw
