#include "sim/cosim/statistics_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace bw::cosim {
namespace {

using sysc::Cause;
using sysc::CauseCycles;
using sysc::Engine;
using sysc::EngineCycles;

Json CausesJson(const CauseCycles& cycles, bool with_busy) {
  Json json = Json::object();
  for (size_t i = 0; i < sysc::kCauses; ++i) {
    const auto cause = static_cast<Cause>(i);
    if (cycles[i] == 0 || (cause == Cause::kBusy && !with_busy)) continue;
    json[std::string(sysc::ToString(cause))] = cycles[i];
  }
  return json;
}

Json EnginesJson(const EngineCycles& engines) {
  Json json;
  for (size_t i = 0; i < sysc::kEngines; ++i) {
    json[std::string(sysc::ToString(static_cast<Engine>(i)))] = CausesJson(engines[i], true);
  }
  return json;
}

uint64_t Busy(const EngineCycles& engines, size_t engine) {
  return engines[engine][static_cast<size_t>(Cause::kBusy)];
}

// The engine that did most; of equals MAC, then PPU, load, store.
size_t MainEngine(const EngineCycles& engines) {
  size_t best = static_cast<size_t>(Engine::kMac);
  for (const Engine other : {Engine::kPpu, Engine::kLoad, Engine::kStore}) {
    if (Busy(engines, static_cast<size_t>(other)) > Busy(engines, best)) {
      best = static_cast<size_t>(other);
    }
  }
  return best;
}

Json LayerJson(const sysc::LayerStatistics& layer) {
  const size_t engine = MainEngine(layer.engines);
  return {{"cycles", layer.cycles},
          {"bytes", {{"read", layer.dram_read_bytes}, {"written", layer.dram_written_bytes}}},
          {"engine", std::string(sysc::ToString(static_cast<Engine>(engine)))},
          {"busy", Busy(layer.engines, engine)},
          {"stalls", CausesJson(layer.engines[engine], false)},
          {"engines", EnginesJson(layer.engines)}};
}

}  // namespace

void EventLog::OnStart(isa::Queue queue, uint32_t instruction, uint64_t cycle) {
  started_.push_back({queue, instruction, cycle, cycle});
}

void EventLog::OnRetire(isa::Queue queue, uint32_t instruction, uint64_t cycle) {
  const auto at = std::find_if(started_.begin(), started_.end(), [&](const Event& event) {
    return event.queue == queue && event.instruction == instruction;
  });
  if (at == started_.end()) return;
  Event event = *at;
  event.end = cycle;
  started_.erase(at);
  events_.push_back(event);
}

Json ToJson(const sysc::RunStatistics& statistics) {
  Json json;
  json["cycles"] = statistics.total_cycles;
  json["busy_cycles"] = statistics.busy_cycles;
  json["engines"] = EnginesJson(statistics.engines);
  json["dram_read_bytes"] = statistics.dram_read_bytes;
  json["dram_written_bytes"] = statistics.dram_written_bytes;
  json["fetched_bytes"] = statistics.fetched_bytes;
  json["layers"] = Json::array();
  for (const sysc::LayerStatistics& layer : statistics.layers) {
    json["layers"].push_back(LayerJson(layer));
  }
  return json;
}

Json TimelineJson(const EventLog& log, const isa::Program& program) {
  Json json = Json::array();
  for (const EventLog::Event& event : log.events()) {
    const auto opcode = isa::Decode(program.code.at(event.instruction));
    if (!opcode.ok() || opcode->opcode == isa::Opcode::kCfg) continue;
    json.push_back({static_cast<int>(event.queue), event.instruction, event.begin, event.end,
                    program.info.at(event.instruction).layer});
  }
  return json;
}

std::string PerfettoTrace(const EventLog& log, const isa::Program& program) {
  std::string text = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n";
  for (int queue = 0; queue < isa::kQueues; ++queue) {
    text += fmt::format(
        "{{\"ph\":\"M\",\"pid\":1,\"tid\":{},\"name\":\"thread_name\",\"args\":{{\"name\":\"{}\"}}}"
        "}"
        ",\n",
        queue + 1, isa::QueueName(static_cast<isa::Queue>(queue)));
  }
  for (const EventLog::Event& event : log.events()) {
    const isa::InstructionInfo& info = program.info.at(event.instruction);
    const Json layer = program.layers.empty() ? "" : program.layers.at(info.layer).name;
    text += fmt::format(
        "{{\"ph\":\"X\",\"pid\":1,\"tid\":{},\"ts\":{},\"dur\":{},\"name\":{},\"args\":{{"
        "\"instruction\":{},\"tile\":{},\"text\":{}}}}},\n",
        static_cast<int>(event.queue) + 1, event.begin, event.end - event.begin, layer.dump(),
        event.instruction, info.tile,
        Json(isa::DisassembleInstruction(program.code.at(event.instruction))).dump());
  }
  text += "{\"ph\":\"M\",\"pid\":1,\"name\":\"process_name\",\"args\":{\"name\":" +
          Json(program.network).dump() + "}}\n]}\n";
  return text;
}

}  // namespace bw::cosim
