// Whole files in and out, with errors that say which file and why.
#ifndef MODELS_STATUS_FILE_H_
#define MODELS_STATUS_FILE_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "models/status/result.h"

namespace bw {

// The contents of `path`. Directories, unreadable files and files above `max_bytes` are errors.
// Pipes are read to their end.
Result<std::string> ReadFile(const std::string& path, uint64_t max_bytes = uint64_t{4} << 30);

// Replaces `path` by `bytes`: written beside it and renamed, so that nobody sees half a file.
Status WriteFile(const std::string& path, std::string_view bytes);

}  // namespace bw

#endif  // MODELS_STATUS_FILE_H_
