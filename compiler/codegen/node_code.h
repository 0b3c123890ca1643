// One node's way through the back end: planned until it fits, then emitted.
#ifndef COMPILER_CODEGEN_NODE_CODE_H_
#define COMPILER_CODEGEN_NODE_CODE_H_

#include <cstdint>
#include <memory>
#include <optional>

#include "compiler/codegen/emitter.h"
#include "compiler/codegen/plan_context.h"

namespace bw::codegen {

class NodeCode {
 public:
  virtual ~NodeCode() = default;
  // Estimated cycles, to compare plans. May be called again when the storage has changed; the last
  // plan counts. Nothing: does not fit, `failure` says why.
  virtual std::optional<double> Plan(const PlanContext& context, PlanFailure* failure) = 0;
  // Whether the plan makes the result one block of channels after the other.
  virtual bool ByChannels() const = 0;
  // Where the scratchpad that the plan takes ends.
  virtual uint64_t StagedEnd() const = 0;
  virtual void Emit(Emitter& emitter) const = 0;
  // Bits in front of its first input that padding makes it address.
  virtual int64_t HeadroomBits() const { return 0; }
};

// Null for views and host operators, which have no instructions.
std::unique_ptr<NodeCode> MakeNodeCode(const graph::IntGraph& graph, const ValueTable& values,
                                       const StorageTable& storage, size_t node);

}  // namespace bw::codegen

#endif  // COMPILER_CODEGEN_NODE_CODE_H_
