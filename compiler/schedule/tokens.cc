#include "compiler/schedule/tokens.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "compiler/schedule/access_map.h"
#include "models/status/check.h"

namespace bw::schedule {
namespace {

void Join(QueueClock& into, const QueueClock& from) {
  for (size_t q = 0; q < into.size(); ++q) into[q] = std::max(into[q], from[q]);
}

void AddToken(Operation& producer, Operation& consumer) {
  const auto to = static_cast<uint8_t>(1u << static_cast<unsigned>(consumer.queue()));
  const auto from = static_cast<uint8_t>(1u << static_cast<unsigned>(producer.queue()));
  // The consumer that took an earlier token of `producer` knows that it has retired, and so does
  // everyone after it in the same queue: a second token is never asked for.
  BW_CHECK((producer.instruction.post & to) == 0, "operation {} already posts to queue {}",
           producer.id, static_cast<int>(consumer.queue()));
  BW_CHECK((consumer.instruction.wait & from) == 0, "operation {} already waits for queue {}",
           consumer.id, static_cast<int>(producer.queue()));
  producer.instruction.post = static_cast<uint8_t>(producer.instruction.post | to);
  consumer.instruction.wait = static_cast<uint8_t>(consumer.instruction.wait | from);
}

}  // namespace

void PlaceTokens(std::vector<Operation>& operations) {
  AccessMap map;
  // retired[i][q]: the last operation of queue q known to have retired when operation i has.
  std::vector<QueueClock> retired(operations.size(), kNoClock);
  std::array<QueueClock, isa::kQueues> known;  // of each queue's last operation
  known.fill(kNoClock);

  for (size_t i = 0; i < operations.size(); ++i) {
    Operation& operation = operations[i];
    const auto own = static_cast<size_t>(operation.queue());
    QueueClock& clock = known[own];
    QueueClock needs = map.Dependences(operation);
    needs[own] = -1;  // a queue executes in order
    // Latest first: an operation can know of earlier ones only, so each one kept is necessary.
    for (;;) {
      const auto latest = std::max_element(needs.begin(), needs.end());
      const int64_t producer = *latest;
      if (producer < 0) break;
      const auto queue = static_cast<size_t>(latest - needs.begin());
      *latest = -1;
      if (producer <= clock[queue]) continue;
      AddToken(operations[static_cast<size_t>(producer)], operation);
      Join(clock, retired[static_cast<size_t>(producer)]);
    }
    clock[own] = static_cast<int64_t>(i);
    retired[i] = clock;
    map.Record(operation, static_cast<int64_t>(i));
  }
}

}  // namespace bw::schedule
