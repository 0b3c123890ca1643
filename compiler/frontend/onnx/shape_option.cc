#include <fmt/format.h>

#include <charconv>

#include "compiler/frontend/onnx/onnx_import.h"

namespace bw::frontend {

Result<std::pair<std::string, std::vector<int64_t>>> ParseBinding(std::string_view text,
                                                                  const std::string& option) {
  const auto fail = [&](std::string_view part) {
    return Error{"",
                 0,
                 0,
                 option,
                 fmt::format("'{}' in '{}' is not an extent from 1 to {}", part, text, INT32_MAX),
                 "write 1x3x224x224, or name=1x3x224x224"};
  };
  std::pair<std::string, std::vector<int64_t>> binding;
  std::string_view extents = text;
  const size_t equals = text.rfind('=');
  if (equals != std::string_view::npos) {
    binding.first = text.substr(0, equals);
    extents = text.substr(equals + 1);
  }
  while (true) {
    const size_t cross = std::min(extents.find('x'), extents.size());
    const std::string_view part = extents.substr(0, cross);
    int64_t extent = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), extent);
    if (error != std::errc{} || end != part.data() + part.size() || extent < 1 ||
        extent > INT32_MAX) {
      return fail(part);
    }
    binding.second.push_back(extent);
    if (cross == extents.size()) return binding;
    extents.remove_prefix(cross + 1);
  }
}

}  // namespace bw::frontend
