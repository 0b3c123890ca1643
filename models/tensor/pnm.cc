#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "models/tensor/image.h"

namespace bw::tensor {
namespace {

bool IsSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// Reads the header's numbers, which are set apart by white space and comments.
class PnmHeader {
 public:
  explicit PnmHeader(std::string_view rest) : rest_(rest) {}

  std::optional<int64_t> ReadNumber() {
    while (!rest_.empty() && (IsSpace(rest_[0]) || rest_[0] == '#')) {
      const size_t skipped = rest_[0] == '#' ? rest_.find('\n') : 0;
      rest_.remove_prefix(skipped == std::string_view::npos ? rest_.size() : skipped + 1);
    }
    int64_t number = 0;
    const auto [end, failure] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
    if (failure != std::errc() || number < 1) return std::nullopt;
    rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
    return number;
  }

  // What follows the one white space after the last number.
  std::optional<std::string_view> Data() const {
    if (rest_.empty() || !IsSpace(rest_[0])) return std::nullopt;
    return rest_.substr(1);
  }

 private:
  std::string_view rest_;
};

}  // namespace

Result<Tensor> ParsePnm(std::string_view bytes, const std::string& file) {
  const auto error = [&](std::string message, std::string hint = "") {
    return Error{file, 0, 0, "", std::move(message), std::move(hint)};
  };
  const std::string_view magic = bytes.substr(0, 2);
  if (magic != "P5" && magic != "P6") {
    return error("not a binary PGM or PPM image: magic is not P5 or P6");
  }
  const int64_t channels = magic == "P6" ? 3 : 1;
  PnmHeader header(bytes.substr(2));
  const std::optional<int64_t> width = header.ReadNumber();
  const std::optional<int64_t> height = header.ReadNumber();
  const std::optional<int64_t> maximum = header.ReadNumber();
  const std::optional<std::string_view> data = header.Data();
  if (!width || !height || !maximum || !data) return error("the image header is broken");
  if (*maximum != 255) {
    return error(fmt::format("maximum sample {} is not supported; allowed 255", *maximum),
                 "convert to 8 bits a channel");
  }
  const Shape shape = {1, channels, *height, *width};
  const std::optional<int64_t> samples = shape.CheckedElements();
  if (!samples.has_value() || static_cast<uint64_t>(*samples) != data->size()) {
    return error(fmt::format("{} x {} pixels of {} bytes do not fit {} bytes of data", *width,
                             *height, channels, data->size()));
  }
  Tensor image(DType::kU8, shape);
  const int64_t pixels = *width * *height;
  for (int64_t pixel = 0; pixel < pixels; ++pixel) {
    for (int64_t channel = 0; channel < channels; ++channel) {
      image.bytes()[channel * pixels + pixel] =
          static_cast<uint8_t>((*data)[static_cast<size_t>(pixel * channels + channel)]);
    }
  }
  return image;
}

}  // namespace bw::tensor
