// Software pipelining: lets loads and MAC tiles run ahead of what follows them in program order.
#ifndef COMPILER_SCHEDULE_PIPELINE_H_
#define COMPILER_SCHEDULE_PIPELINE_H_

#include <vector>

#include "compiler/schedule/operation.h"

namespace bw::schedule {

struct PipelineOptions {
  // Instructions (configuration included) of one queue that may stand in front of their place: as
  // many as the queue holds, or the in-order dispatcher would block the other queues.
  int queue_depth = 8;
  int mac_steps_ahead = 1;  // the accumulators have two halves
};

// Moves loads up in front of MAC, PPU and store operations, and MAC operations up in front of PPU
// and store operations, of earlier steps, as long as nothing that they pass touches what they
// touch. The order within each queue stays, and executing one after the other gives the same
// values.
std::vector<Operation> SoftwarePipeline(std::vector<Operation> operations,
                                        const PipelineOptions& options);

}  // namespace bw::schedule

#endif  // COMPILER_SCHEDULE_PIPELINE_H_
