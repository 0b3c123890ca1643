#include "models/status/check.h"

#include <cstdio>
#include <cstdlib>

namespace bw {

void CheckFailed(const char* file, int line, const char* condition, const std::string& message) {
  std::fprintf(stderr, "%s:%d: internal error: %s: %s\n", file, line, condition, message.c_str());
  std::abort();
}

}  // namespace bw
