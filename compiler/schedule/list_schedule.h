// Orders operations so that the four queues overlap: loads run ahead of the tiles that need them,
// MAC tiles ahead of the post-processing of the tile before, and what the post-processing unit can
// do meanwhile fills its gaps.
#ifndef COMPILER_SCHEDULE_LIST_SCHEDULE_H_
#define COMPILER_SCHEDULE_LIST_SCHEDULE_H_

#include <vector>

#include "compiler/schedule/operation.h"

namespace bw::schedule {

struct ListScheduleOptions {
  // Instructions (configuration included) of one queue that may stand in front of operations that
  // were emitted before them: as many as the queue holds, or in-order dispatch would make those
  // wait.
  int queue_depth = 16;
};

// List scheduling by estimated times: an operation starts when its queue is free and whatever it
// conflicts with, and was emitted before it, has finished; of several the earliest emitted. The
// result is in the order of starts, so executing one after the other gives the same values.
std::vector<Operation> ListSchedule(std::vector<Operation> operations,
                                    const ListScheduleOptions& options);

}  // namespace bw::schedule

#endif  // COMPILER_SCHEDULE_LIST_SCHEDULE_H_
