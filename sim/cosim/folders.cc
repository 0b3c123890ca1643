#include "sim/cosim/folders.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "sim/cosim/stop.h"

namespace bw::cosim {
namespace {

namespace fs = std::filesystem;

void RemoveAll(const std::string& path) {
  std::error_code ignored;
  fs::remove_all(path, ignored);
}

Error FolderError(const std::string& path, const std::string& option, std::string message,
                  std::string hint) {
  return Error{path, 0, 0, option, std::move(message), std::move(hint)};
}

bool IsEarlierResult(const std::string& path) {
  std::error_code code;
  return fs::is_empty(path, code) || fs::exists(path + "/report.json", code) ||
         fs::exists(path + "/exec.json", code);
}

Status CheckTarget(const std::string& path, const std::string& option) {
  std::error_code code;
  const fs::file_status status = fs::status(path, code);
  if (!fs::exists(status)) return OkStatus();
  if (!fs::is_directory(status)) {
    return FolderError(path, option, "is a file", "name a folder");
  }
  if (!IsEarlierResult(path)) {
    return FolderError(path, option, "holds other files, which would be lost",
                       "name a new folder, or one with an earlier result");
  }
  if (::access(path.c_str(), W_OK | X_OK) != 0) {
    return FolderError(path, option, fmt::format("cannot write: {}", ::strerror(errno)), "");
  }
  return OkStatus();
}

}  // namespace

Status MakeFolders(const std::string& path) {
  std::error_code code;
  fs::create_directories(path, code);
  if (!code) return OkStatus();
  return FolderError(path, "", fmt::format("cannot make the folder: {}", code.message()), "");
}

Result<OutputFolder> OutputFolder::Create(const std::string& path, const std::string& option) {
  OutputFolder folder;
  folder.path_ = path;
  while (folder.path_.size() > 1 && folder.path_.back() == '/') folder.path_.pop_back();
  if (folder.path_.empty()) return FolderError(path, option, "no folder is named", "");
  BW_RETURN_IF_ERROR(CheckTarget(folder.path_, option));
  std::error_code code;
  const fs::path parent = fs::absolute(folder.path_).parent_path();
  for (fs::path p = parent; !fs::exists(p, code) && p.has_relative_path(); p = p.parent_path()) {
    folder.made_.insert(folder.made_.begin(), p.string());
  }
  fs::create_directories(parent, code);
  const std::string temporary = fmt::format("{}.{}.new", folder.path_, ::getpid());
  if (!code) fs::create_directory(temporary, code);
  if (code) return FolderError(path, option, fmt::format("cannot write: {}", code.message()), "");
  folder.temporary_ = temporary;
  RemoveFolderOnStop(fs::absolute(temporary).string());
  return folder;
}

OutputFolder::OutputFolder(OutputFolder&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, "")),
      made_(std::exchange(other.made_, {})) {}

OutputFolder::~OutputFolder() { Discard(); }

void OutputFolder::Discard() {
  if (!temporary_.empty()) {
    ForgetFolder(fs::absolute(temporary_).string(), [this] { RemoveAll(temporary_); });
    temporary_.clear();
  }
  // Only while empty: rmdir does not take what others have put there since.
  for (auto at = made_.rbegin(); at != made_.rend(); ++at) ::rmdir(at->c_str());
  made_.clear();
}

Status OutputFolder::Commit() {
  int failed = 0, code = 0;
  ForgetFolder(fs::absolute(temporary_).string(), [&] {
    failed = ::rename(temporary_.c_str(), path_.c_str());
    if (failed != 0 && (errno == ENOTEMPTY || errno == EEXIST)) {
      failed = ::renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD, path_.c_str(), RENAME_EXCHANGE);
    }
    code = errno;
    RemoveAll(temporary_);  // by now the earlier result, or what could not be put in its place
  });
  temporary_.clear();
  if (failed != 0) {
    return FolderError(path_, "", fmt::format("cannot put the result there: {}", ::strerror(code)),
                       "");
  }
  made_.clear();
  return OkStatus();
}

}  // namespace bw::cosim
