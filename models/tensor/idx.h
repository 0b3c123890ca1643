// The IDX format of MNIST-like data sets, plain or compressed by gzip.
#ifndef MODELS_TENSOR_IDX_H_
#define MODELS_TENSOR_IDX_H_

#include <string>
#include <string_view>

#include "models/status/result.h"
#include "models/tensor/tensor.h"

namespace bw::tensor {

// The array in `bytes`: two zero bytes, element type, rank, big-endian extents, big-endian values.
// uint8, int8, int16, int32, float32 and float64; rank 1 to 8. Nothing is allocated before the
// declared size is known to be there.
Result<Tensor> ParseIdx(std::string_view bytes, const std::string& file);

// Reads a file, unpacking it first when it starts as gzip does.
Result<Tensor> ReadIdx(const std::string& path);

// Whether the file's name says IDX: x.idx, x-ubyte, x-idx3-ubyte and so on, with .gz or without.
bool IsIdxName(std::string_view path);

}  // namespace bw::tensor

#endif  // MODELS_TENSOR_IDX_H_
