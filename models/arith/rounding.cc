#include "models/arith/rounding.h"

namespace bw::arith {

std::string_view ToString(Rounding mode) {
  switch (mode) {
#define BW_ROUNDING(name, enumerator, code, meaning) \
  case Rounding::enumerator:                         \
    return name;
#include "models/arith/rounding.def"
#undef BW_ROUNDING
  }
  __builtin_unreachable();
}

std::string_view Meaning(Rounding mode) {
  switch (mode) {
#define BW_ROUNDING(name, enumerator, code, meaning) \
  case Rounding::enumerator:                         \
    return meaning;
#include "models/arith/rounding.def"
#undef BW_ROUNDING
  }
  __builtin_unreachable();
}

std::optional<Rounding> ParseRounding(std::string_view name) {
  for (Rounding mode : kAllRoundings) {
    if (ToString(mode) == name) return mode;
  }
  return std::nullopt;
}

std::string RoundingNames() {
  std::string names;
  for (Rounding mode : kAllRoundings) {
    if (!names.empty()) names += ", ";
    names += ToString(mode);
  }
  return names;
}

}  // namespace bw::arith
