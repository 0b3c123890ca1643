// Logical tensors in and out of a machine's memories. Untimed: for inputs, outputs and probes.
#ifndef MODELS_MACHINE_PLACEMENT_H_
#define MODELS_MACHINE_PLACEMENT_H_

#include <cstdint>
#include <vector>

#include "compiler/isa/program.h"
#include "models/machine/executor.h"
#include "models/tensor/shape.h"

namespace bw::machine {

// `values` row-major in logical order, shape.Elements() of them; each must fit placement.bits.
void WriteTensor(const int32_t* values, const tensor::Shape& shape, const isa::Placement& placement,
                 uint8_t* memory);
void ReadTensor(const uint8_t* memory, const tensor::Shape& shape, const isa::Placement& placement,
                int32_t* values);

// Copies the probe's box into the logical tensor of its layer (row-major, the layer's shape).
void ReadProbe(const isa::Program& program, const isa::Probe& probe, const MemoryView& memory,
               int32_t* layer_values);

}  // namespace bw::machine

#endif  // MODELS_MACHINE_PLACEMENT_H_
