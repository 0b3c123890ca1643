// The cost of a run as report.json shows it, and as a trace for Perfetto.
#ifndef SIM_COSIM_STATISTICS_JSON_H_
#define SIM_COSIM_STATISTICS_JSON_H_

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/isa/program.h"
#include "sim/cosim/isolate.h"
#include "sim/sysc/hooks.h"
#include "sim/sysc/statistics.h"

namespace bw::cosim {

// Start and end of every instruction of the four queues, in the order of retirement.
class EventLog : public sysc::EventSink {
 public:
  struct Event {
    isa::Queue queue{};
    uint32_t instruction = 0;
    uint64_t begin = 0, end = 0;  // cycles
  };

  void OnStart(isa::Queue queue, uint32_t instruction, uint64_t cycle) override;
  void OnRetire(isa::Queue queue, uint32_t instruction, uint64_t cycle) override;
  const std::vector<Event>& events() const { return events_; }

 private:
  std::vector<Event> started_;  // not retired yet
  std::vector<Event> events_;
};

// "cycles", "busy_cycles", "engines" (engine: {cause: cycles}, without zeros), "dram_read_bytes",
// "dram_written_bytes", "fetched_bytes", and "layers": for each layer of the program "cycles",
// "bytes" {read, written}, "engine" (the one that was busy longest), of that engine "busy" and
// "stalls" {cause: cycles}, which add up to "cycles"; all engines in "engines".
Json ToJson(const sysc::RunStatistics& statistics);

// [queue, instruction, begin, end, layer] of the events that take part in a layer.
Json TimelineJson(const EventLog& log, const isa::Program& program);

// Chrome's trace event format, one thread a queue, one microsecond a cycle.
std::string PerfettoTrace(const EventLog& log, const isa::Program& program);

}  // namespace bw::cosim

#endif  // SIM_COSIM_STATISTICS_JSON_H_
