#include "models/host/host_op.h"

#include <fmt/format.h>

#include "models/arith/softmax.h"
#include "models/arith/tflite_softmax.h"
#include "models/machine/placement.h"

namespace bw::host {

Status RunHostOp(const isa::HostOp& op, uint8_t* dram) {
  const bool tflite = op.kind == kTfliteSoftmax;
  if (op.kind != kSoftmax && !tflite) {
    return Error{"",
                 0,
                 0,
                 fmt::format("host operator '{}'", op.kind),
                 "unknown kind",
                 "compile the program again with this version"};
  }
  const tensor::Shape& shape = op.input.shape;
  std::vector<int32_t> x(static_cast<size_t>(shape.Elements()));
  std::vector<int32_t> y(x.size());
  machine::ReadTensor(dram, shape, op.input.placement, x.data());
  const int64_t row = shape.rank() == 0 ? 1 : shape[shape.rank() - 1];
  for (int64_t at = 0; row > 0 && at < shape.Elements(); at += row) {
    if (tflite) {
      arith::TfliteSoftmax(x.data() + at, row, 1, op.table, y.data() + at);
    } else {
      arith::IntSoftmax(x.data() + at, row, 1, op.table, op.one, op.lo, op.hi, y.data() + at);
    }
  }
  machine::WriteTensor(y.data(), op.output.shape, op.output.placement, dram);
  return OkStatus();
}

}  // namespace bw::host
