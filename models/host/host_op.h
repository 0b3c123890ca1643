// Operators that run on the host between program segments: the same function for every executor.
#ifndef MODELS_HOST_HOST_OP_H_
#define MODELS_HOST_HOST_OP_H_

#include "compiler/isa/program.h"
#include "models/status/result.h"

namespace bw::host {

// Kinds that RunHostOp knows.
inline constexpr const char* kSoftmax = "softmax";  // arith::IntSoftmax along the last axis
inline constexpr const char* kTfliteSoftmax = "tflite_softmax";  // arith::TfliteSoftmax, likewise

// Reads op.input from `dram`, writes op.output. Fails on an unknown kind.
Status RunHostOp(const isa::HostOp& op, uint8_t* dram);

}  // namespace bw::host

#endif  // MODELS_HOST_HOST_OP_H_
