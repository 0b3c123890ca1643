#include "models/tensor/tensor_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

#include "models/status/file.h"
#include "models/tensor/image.h"
#include "models/tensor/npy.h"
#include "models/tensor/zip.h"

namespace bw::tensor {
namespace {

namespace fs = std::filesystem;

struct RawType {
  std::string_view extension;
  DType dtype;
};
constexpr RawType kRawTypes[] = {{".s8", DType::kI8},
                                 {".u8", DType::kU8},
                                 {".s16", DType::kI16},
                                 {".s32", DType::kI32},
                                 {".f32", DType::kF32}};
constexpr std::string_view kAllowed =
    ".npy, .npz, .png, .pgm, .ppm, or raw .s8, .u8, .s16, .s32, .f32 with a shape";

std::string Extension(const std::string& path) { return fs::path(path).extension().string(); }

std::optional<DType> RawTypeOf(const std::string& path) {
  const std::string extension = Extension(path);
  for (const RawType& type : kRawTypes) {
    if (extension == type.extension) return type.dtype;
  }
  return std::nullopt;
}

// "1x32x32x3": decimal extents of at least 1.
std::optional<Shape> ParseShape(std::string_view text) {
  Shape shape;
  for (;;) {
    int64_t extent = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), extent);
    if (failure != std::errc() || extent < 1) return std::nullopt;
    shape.dims.push_back(extent);
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    if (text.empty()) return shape;
    if (text[0] != 'x') return std::nullopt;
    text.remove_prefix(1);
  }
}

Result<Tensor> ReadRaw(const std::string& path, const std::string& shape_text, DType dtype) {
  const std::string hint = fmt::format("give the extents, as in {}:1x32x32x3", path);
  if (shape_text.empty()) return Error{path, 0, 0, "", "raw values need a shape", hint};
  const std::optional<Shape> shape = ParseShape(shape_text);
  const std::optional<int64_t> elements = shape ? shape->CheckedElements() : std::nullopt;
  if (!elements.has_value()) {
    return Error{path,
                 0,
                 0,
                 "",
                 fmt::format("'{}' is not a shape", shape_text),
                 fmt::format("give the extents, as in {}:1x32x32x3", path)};
  }
  BW_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(path));
  const uint64_t size = DTypeSize(dtype);
  if (bytes.size() % size != 0 || static_cast<uint64_t>(*elements) != bytes.size() / size) {
    return Error{path,
                 0,
                 0,
                 "",
                 fmt::format("shape {} of {} has {} elements of {} bytes; the file has {} bytes",
                             shape->ToString(), DTypeName(dtype), *elements, size, bytes.size()),
                 ""};
  }
  Tensor tensor(dtype, *shape);
  std::memcpy(tensor.bytes(), bytes.data(), bytes.size());
  return tensor;
}

std::string Names(const std::vector<NamedTensor>& arrays) {
  std::string names;
  for (const NamedTensor& array : arrays) {
    if (!names.empty()) names += ", ";
    names += array.name;
  }
  return names;
}

// `name` empty: the only one.
Result<Tensor> ReadNpzMember(const std::string& path, const std::string& name) {
  BW_ASSIGN_OR_RETURN(std::vector<NamedTensor> arrays, ReadNpz(path));
  if (arrays.empty()) return Error{path, 0, 0, "", "the archive holds no array", ""};
  if (name.empty() && arrays.size() > 1) {
    return Error{path,
                 0,
                 0,
                 "",
                 fmt::format("the archive holds {} arrays: {}", arrays.size(), Names(arrays)),
                 fmt::format("choose one, as in {}:{}", path, arrays.front().name)};
  }
  for (NamedTensor& array : arrays) {
    if (name.empty() || array.name == name) return std::move(array.tensor);
  }
  return Error{path, 0, 0, name, "no such array; the archive holds " + Names(arrays), ""};
}

// Path and what follows the ':' after a known extension; a ':' elsewhere belongs to the path.
struct Spec {
  std::string path;
  std::optional<std::string> argument;
};

Spec Split(const std::string& spec) {
  const size_t colon = spec.rfind(':');
  if (colon == std::string::npos) return {spec, std::nullopt};
  const std::string path = spec.substr(0, colon);
  const std::string extension = Extension(path);
  const bool takes_one = RawTypeOf(path).has_value() || extension == ".npz" ||
                         extension == ".npy" || extension == ".png" || extension == ".pgm" ||
                         extension == ".ppm";
  if (!takes_one) return {spec, std::nullopt};
  return {path, spec.substr(colon + 1)};
}

Result<Tensor> ParseByExtension(const std::string& path, const std::string& extension) {
  BW_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(path));
  if (extension == ".npy") return ParseNpy(bytes, path);
  if (extension == ".png") return ParsePng(bytes, path);
  return ParsePnm(bytes, path);
}

Result<std::vector<std::string>> ListFiles(const std::string& directory) {
  std::vector<std::string> paths;
  std::error_code failure;
  for (fs::directory_iterator at(directory, failure), end; !failure && at != end;
       at.increment(failure)) {
    const std::string name = at->path().filename().string();
    if (name[0] != '.' && !at->is_directory()) paths.push_back(at->path().string());
  }
  if (failure) {
    return Error{directory, 0, 0, "", "cannot read: " + failure.message(), ""};
  }
  if (paths.empty()) return Error{directory, 0, 0, "", "the directory holds no file", ""};
  std::sort(paths.begin(), paths.end());
  return paths;
}

Result<Tensor> ReadDirectory(const std::string& directory) {
  BW_ASSIGN_OR_RETURN(const std::vector<std::string> paths, ListFiles(directory));
  std::optional<Tensor> stack;
  Shape first;
  uint8_t* out = nullptr;
  for (const std::string& path : paths) {
    BW_ASSIGN_OR_RETURN(const Tensor sample, ReadTensorFile(path));
    if (!stack.has_value()) {
      first = sample.shape();
      Shape shape = first;
      if (shape.rank() > 0 && shape[0] == 1) shape.dims.erase(shape.dims.begin());
      shape.dims.insert(shape.dims.begin(), static_cast<int64_t>(paths.size()));
      if (!shape.CheckedElements()) return Error{directory, 0, 0, "", "too many elements", ""};
      stack.emplace(sample.dtype(), shape);
      out = stack->bytes();
    }
    if (sample.shape() != first || sample.dtype() != stack->dtype()) {
      return Error{path,
                   0,
                   0,
                   "",
                   fmt::format("is {} of {}, but {} is {} of {}", sample.shape().ToString(),
                               DTypeName(sample.dtype()), paths.front(), first.ToString(),
                               DTypeName(stack->dtype())),
                   "all files of an input directory must have one shape and type"};
    }
    if (sample.byte_size() > 0) std::memcpy(out, sample.bytes(), sample.byte_size());
    out += sample.byte_size();
  }
  return *std::move(stack);
}

}  // namespace

Result<std::vector<NamedTensor>> ReadNpz(const std::string& path) {
  BW_ASSIGN_OR_RETURN(const std::string archive, ReadFile(path));
  BW_ASSIGN_OR_RETURN(const std::vector<ZipEntry> entries, ListZip(archive, path));
  std::vector<NamedTensor> arrays;
  for (const ZipEntry& entry : entries) {
    BW_ASSIGN_OR_RETURN(const std::string bytes, ExtractZip(archive, entry, path));
    BW_ASSIGN_OR_RETURN(Tensor tensor, ParseNpy(bytes, path, entry.name));
    const bool suffixed = fs::path(entry.name).extension() == ".npy";
    arrays.push_back(
        {suffixed ? entry.name.substr(0, entry.name.size() - 4) : entry.name, std::move(tensor)});
  }
  return arrays;
}

Result<Tensor> ReadTensorFile(const std::string& spec) {
  const auto [path, argument] = Split(spec);
  const std::string extension = Extension(path);
  if (const std::optional<DType> raw = RawTypeOf(path)) {
    return ReadRaw(path, argument.value_or(""), *raw);
  }
  if (extension == ".npz") return ReadNpzMember(path, argument.value_or(""));
  const bool known =
      extension == ".npy" || extension == ".png" || extension == ".pgm" || extension == ".ppm";
  if (!known) {
    return Error{
        path, 0, 0, "", fmt::format("file type '{}' is unknown; allowed {}", extension, kAllowed),
        ""};
  }
  if (argument.has_value()) {
    return Error{path,
                 0,
                 0,
                 "",
                 fmt::format("':{}' is not for {}, which has its own shape", *argument, extension),
                 "leave it out"};
  }
  return ParseByExtension(path, extension);
}

Result<Tensor> ReadTensorInput(const std::string& spec) {
  std::error_code failure;
  if (fs::is_directory(spec, failure)) return ReadDirectory(spec);
  return ReadTensorFile(spec);
}

}  // namespace bw::tensor
