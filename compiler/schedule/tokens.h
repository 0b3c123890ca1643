// Places the tokens that keep the four queues in order (ARCHITECTURE.md section 4).
#ifndef COMPILER_SCHEDULE_TOKENS_H_
#define COMPILER_SCHEDULE_TOKENS_H_

#include <vector>

#include "compiler/schedule/operation.h"

namespace bw::schedule {

// Sets `wait` and `post` of the operations of one segment, given in program order, so that every
// read-after-write, write-after-read and write-after-write pair of different queues is ordered. A
// dependence that other tokens and the order within queues already imply gets none (transitive
// reduction by vector clocks). The k-th post of a pair of queues always belongs to its k-th wait,
// and stands before it in program order, so that in-order dispatch cannot deadlock.
void PlaceTokens(std::vector<Operation>& operations);

}  // namespace bw::schedule

#endif  // COMPILER_SCHEDULE_TOKENS_H_
