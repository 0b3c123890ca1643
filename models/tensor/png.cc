#include <fmt/format.h>
#include <png.h>

#include <cstring>

#include "models/tensor/image.h"

namespace bw::tensor {
namespace {

// What libpng's callbacks share with us. Plain data: libpng leaves by longjmp, which runs no
// destructors, so nothing with a destructor may live in the functions that call it.
struct PngState {
  const uint8_t* next = nullptr;
  size_t left = 0;
  char message[200] = {};
};

void ReadBytes(png_structp png, png_bytep out, size_t count) {
  auto* state = static_cast<PngState*>(png_get_io_ptr(png));
  if (count > state->left) png_error(png, "truncated");
  std::memcpy(out, state->next, count);
  state->next += count;
  state->left -= count;
}

void KeepMessage(png_structp png, png_const_charp message) {
  auto* state = static_cast<PngState*>(png_get_error_ptr(png));
  std::strncpy(state->message, message, sizeof state->message - 1);
  png_longjmp(png, 1);
}

void IgnoreWarning(png_structp, png_const_charp) {}

struct PngHeader {
  png_uint_32 width = 0;
  png_uint_32 height = 0;
  int bit_depth = 0;
  int colour = 0;
  size_t stored_row_bytes = 0;  // before expansion to 8 bits a sample
  bool transparent = false;
};

// Both return false with state->message set when libpng gave up.
bool ReadHeader(png_structp png, png_infop info, PngHeader* header) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_read_info(png, info);
  png_get_IHDR(png, info, &header->width, &header->height, &header->bit_depth, &header->colour,
               nullptr, nullptr, nullptr);
  header->stored_row_bytes = png_get_rowbytes(png, info);
  header->transparent =
      (header->colour & PNG_COLOR_MASK_ALPHA) != 0 || png_get_valid(png, info, PNG_INFO_tRNS) != 0;
  return true;
}

bool ReadRows(png_structp png, png_infop info, png_bytep* rows) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_set_expand(png);  // palette to RGB, grey of 1, 2, 4 bits to 8
  png_set_interlace_handling(png);
  png_read_update_info(png, info);
  png_read_image(png, rows);
  png_read_end(png, nullptr);
  return true;
}

Tensor ToPlanes(const std::vector<uint8_t>& samples, int64_t channels, const PngHeader& header) {
  Tensor image(DType::kU8, {1, channels, header.height, header.width});
  const auto pixels = static_cast<size_t>(header.width) * header.height;
  const auto step = static_cast<size_t>(channels);
  for (size_t channel = 0; channel < step; ++channel) {
    for (size_t pixel = 0; pixel < pixels; ++pixel) {
      image.bytes()[channel * pixels + pixel] = samples[pixel * step + channel];
    }
  }
  return image;
}

// Owns the libpng structures.
struct PngReader {
  explicit PngReader(PngState* state)
      : png(png_create_read_struct(PNG_LIBPNG_VER_STRING, state, KeepMessage, IgnoreWarning)),
        info(png == nullptr ? nullptr : png_create_info_struct(png)) {
    if (info != nullptr) png_set_read_fn(png, state, ReadBytes);
  }
  ~PngReader() { png_destroy_read_struct(&png, &info, nullptr); }
  png_structp png;
  png_infop info;
};

}  // namespace

Result<Tensor> ParsePng(std::string_view bytes, const std::string& file) {
  const auto error = [&](std::string message, std::string hint = "") {
    return Error{file, 0, 0, "", std::move(message), std::move(hint)};
  };
  PngState state{reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size(), {}};
  PngReader reader(&state);
  BW_CHECK(reader.info != nullptr, "libpng {}", PNG_LIBPNG_VER_STRING);
  PngHeader header;
  if (!ReadHeader(reader.png, reader.info, &header)) {
    return error(fmt::format("not a sound PNG image: {}", state.message));
  }
  if (header.bit_depth == 16) {
    return error("16 bits a channel are not supported; allowed 1 to 8", "convert to 8 bits");
  }
  if (header.transparent) {
    return error("the image has transparency, which is not supported",
                 "flatten it onto a background");
  }
  const int64_t channels = header.colour == PNG_COLOR_TYPE_GRAY ? 1 : 3;
  const uint64_t row_bytes = uint64_t{header.width} * static_cast<uint64_t>(channels);
  // Deflate packs at most 1032 to 1: a larger claim is found out before memory is taken for it.
  constexpr uint64_t kDeflateLimit = 1032;
  const uint64_t stored = uint64_t{header.stored_row_bytes} * header.height;
  if (stored / kDeflateLimit > bytes.size()) {
    return error(fmt::format("{} x {} pixels cannot be in {} bytes", header.width, header.height,
                             bytes.size()));
  }
  std::vector<uint8_t> samples(row_bytes * header.height);
  std::vector<png_bytep> rows(header.height);
  for (size_t y = 0; y < rows.size(); ++y) rows[y] = samples.data() + y * row_bytes;
  if (!ReadRows(reader.png, reader.info, rows.data())) {
    return error(fmt::format("not a sound PNG image: {}", state.message));
  }
  return ToPlanes(samples, channels, header);
}

}  // namespace bw::tensor
