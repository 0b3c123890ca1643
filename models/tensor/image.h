// 8-bit images as tensors.
#ifndef MODELS_TENSOR_IMAGE_H_
#define MODELS_TENSOR_IMAGE_H_

#include <string>
#include <string_view>

#include "models/status/result.h"
#include "models/tensor/tensor.h"

namespace bw::tensor {

// A PNG (grey, RGB or palette; 1 to 8 bits a channel; no transparency) or binary PGM/PPM (maximum
// 255) as uint8 of shape 1 x C x H x W, C = 1 or 3. The samples are as stored: gamma and colour
// profiles are ignored, grey of less than 8 bits is spread over 0..255.
Result<Tensor> ParsePng(std::string_view bytes, const std::string& file);
Result<Tensor> ParsePnm(std::string_view bytes, const std::string& file);

}  // namespace bw::tensor

#endif  // MODELS_TENSOR_IMAGE_H_
