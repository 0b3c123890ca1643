// Broken invariants: a defect in bitwright itself, never the user's doing. Stops the process.
#ifndef MODELS_STATUS_CHECK_H_
#define MODELS_STATUS_CHECK_H_

#include <fmt/format.h>

#include <string>

namespace bw {

// Prints file, line, condition and message on stderr, then aborts.
[[noreturn]] void CheckFailed(const char* file, int line, const char* condition,
                              const std::string& message);

}  // namespace bw

// BW_CHECK(a < b, "a = {}, b = {}", a, b): in every build; say both values.
#define BW_CHECK(condition, ...)                                                         \
  do {                                                                                   \
    if (__builtin_expect(!(condition), 0))                                               \
      ::bw::CheckFailed(__FILE__, __LINE__, #condition, ::fmt::format(__VA_ARGS__));     \
  } while (false)

#endif  // MODELS_STATUS_CHECK_H_
