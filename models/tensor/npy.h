// numpy's .npy format: versions 1 and 2, little-endian, C and Fortran order.
#ifndef MODELS_TENSOR_NPY_H_
#define MODELS_TENSOR_NPY_H_

#include <string>
#include <string_view>

#include "models/status/result.h"
#include "models/tensor/tensor.h"

namespace bw::tensor {

// The array in `bytes`, in row-major order. `file` and `place` (a member of an archive, or empty)
// are for messages. Nothing is allocated before the declared size is known to be there.
Result<Tensor> ParseNpy(std::string_view bytes, const std::string& file,
                        const std::string& place = "");

// Version 1 in C order; equal tensors give equal bytes.
std::string NpyBytes(const Tensor& tensor);
Status WriteNpy(const std::string& path, const Tensor& tensor);

}  // namespace bw::tensor

#endif  // MODELS_TENSOR_NPY_H_
