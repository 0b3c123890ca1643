#include "models/status/result.h"

#include <fmt/format.h>

namespace bw {

std::string Error::ToString() const {
  std::string text = file;
  if (line > 0) text += fmt::format(":{}", line);
  if (line > 0 && column > 0) text += fmt::format(":{}", column);
  if (!text.empty()) text += ": ";
  if (!place.empty()) text += place + ": ";
  text += message;
  if (!hint.empty()) text += " (" + hint + ")";
  return text;
}

std::string ToString(const Errors& errors) {
  std::string text;
  for (const Error& error : errors) text += error.ToString() + "\n";
  return text;
}

}  // namespace bw
