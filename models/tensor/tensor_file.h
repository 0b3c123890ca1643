// Tensors from files as a user names them on the command line.
#ifndef MODELS_TENSOR_TENSOR_FILE_H_
#define MODELS_TENSOR_TENSOR_FILE_H_

#include <string>
#include <vector>

#include "models/status/result.h"
#include "models/tensor/tensor.h"

namespace bw::tensor {

struct NamedTensor {
  std::string name;
  Tensor tensor;
};

// All arrays of a .npz archive, named without their .npy, in the order of the archive.
Result<std::vector<NamedTensor>> ReadNpz(const std::string& path);

// One tensor. `spec` is
//   x.npy
//   x.npz          an archive of one array, or x.npz:NAME for one of several
//   x.s8:1x32x32x3 raw little-endian values with their shape; s8, u8, s16, s32, f32
//   x.png, x.pgm, x.ppm   8-bit image, uint8 of 1 x C x H x W (image.h)
Result<Tensor> ReadTensorFile(const std::string& spec);

// ReadTensorFile, or a directory: its files in order of their names (hidden ones and subdirectories
// left out), all of one type and shape, one sample each. The result's first axis is the sample: in
// front of the files' axes, or in place of their first one where that is 1, as for images.
Result<Tensor> ReadTensorInput(const std::string& spec);

}  // namespace bw::tensor

#endif  // MODELS_TENSOR_TENSOR_FILE_H_
