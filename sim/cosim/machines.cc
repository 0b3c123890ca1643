#include "sim/cosim/machines.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "models/iss/hazard_checker.h"
#include "models/iss/iss.h"
#include "models/status/check.h"
#include "sim/cosim/faulty_core.h"
#include "sim/cosim/statistics_json.h"
#include "sim/rtl_dut/model_library.h"
#include "sim/rtl_dut/rtl_parameters.h"
#include "sim/rtl_dut/rtl_ppu_core.h"
#include "sim/sysc/systemc_executor.h"

namespace bw::cosim {
namespace {

using Names = std::vector<std::string>;

const Names& AllNames() {
  static const Names names = {std::string(kGolden), "iss", "sysc", "rtl"};
  return names;
}

std::string Joined(const Names& names) { return fmt::format("{}", fmt::join(names, ", ")); }

// Accesses do not depend on values, so the first run shows every hazard.
Machine MakeIss(const hwconfig::HwConfig& config) {
  auto iss = std::make_unique<iss::Iss>(config);
  auto checker = std::make_shared<iss::HazardChecker>();
  iss::Iss* const watched = iss.get();
  watched->Watch(checker.get());
  Machine machine;
  machine.executor = std::move(iss);
  machine.check = [watched, checker]() mutable -> Status {
    if (checker == nullptr) return OkStatus();
    watched->Watch(nullptr);
    return std::exchange(checker, nullptr)->Finish();
  };
  return machine;
}

// Timeline and statistics are those of the first run; later ones differ in nothing but values.
Machine MakeSystemc(const hwconfig::HwConfig& config, sysc::SystemcOptions options,
                    const MachineOptions& asked) {
  auto log = std::make_shared<EventLog>();
  auto acted = std::make_shared<bool>(false);
  options.events = log.get();
  if (asked.injection.fault == Fault::kDmaOffByOne) {
    options.faults.load_beat_off_by_one = asked.injection.at;
    options.faults.on_fault = [acted] { *acted = true; };
  }
  auto executor = std::make_unique<sysc::SystemcExecutor>(config, std::move(options));
  sysc::SystemcExecutor* const timed = executor.get();
  Machine machine;
  machine.executor = std::move(executor);
  if (asked.injection.fault == Fault::kDmaOffByOne) {
    machine.check = [acted, injection = asked.injection]() -> Status {
      if (*acted) return OkStatus();
      return Error{"",
                   0,
                   0,
                   "--inject",
                   fmt::format("{} never acted: the run has fewer beats", ToString(injection)),
                   "choose an earlier beat"};
    };
  }
  machine.statistics = [timed, log](const isa::Program& program) {
    timed->options().events = nullptr;
    Timing timing;
    timing.statistics = ToJson(timed->statistics());
    timing.timeline = TimelineJson(*log, program);
    timing.trace = PerfettoTrace(*log, program);
    return timing;
  };
  return machine;
}

// Whatever has no RTL runs in the SystemC machine around it.
Result<sysc::SystemcOptions> RtlOptions(const hwconfig::HwConfig& config,
                                        const MachineOptions& asked) {
  rtl_dut::LibraryOptions library;
  library.trace = !asked.wave.empty();
  library.progress = asked.progress;
  BW_ASSIGN_OR_RETURN(const BwRtlApi* const api,
                      rtl_dut::LoadModel(rtl_dut::ParametersFor(config), library));
  sysc::SystemcOptions options;
  options.name = "rtl";
  options.ppu_core = [api, injection = asked.injection,
                      wave = asked.wave](const hwconfig::HwConfig&) mutable {
    auto core = std::make_unique<rtl_dut::RtlPpuCore>(*api);
    if (!wave.empty()) {  // of the first run
      const Status traced = core->Trace(std::exchange(wave, ""));
      BW_CHECK(traced.ok(), "{}", ToString(traced.errors()));
    }
    std::unique_ptr<ppu::PpuCore> result = std::move(core);
    if (injection.fault == Fault::kMultiplierBit) {
      result = std::make_unique<FlippedMultiplier>(std::move(result), injection.at);
    }
    return result;
  };
  return options;
}

}  // namespace

Names MachineNames() { return Names(AllNames().begin() + 1, AllNames().end()); }

Result<Names> ParseExecutors(const std::string& text, const std::string& option) {
  Names given;
  for (size_t at = 0; at <= text.size();) {
    const size_t comma = std::min(text.find(',', at), text.size());
    given.push_back(text.substr(at, comma - at));
    at = comma + 1;
  }
  for (const std::string& name : given) {
    if (std::count(AllNames().begin(), AllNames().end(), name) != 0) continue;
    return Error{"",
                 0,
                 0,
                 option,
                 fmt::format("unknown executor '{}'", name),
                 fmt::format("one or more of {}, separated by commas", Joined(AllNames()))};
  }
  Names result;
  for (const std::string& name : AllNames()) {
    if (std::count(given.begin(), given.end(), name) != 0) result.push_back(name);
  }
  return result;
}

Result<Machine> MakeMachine(const std::string& name, const hwconfig::HwConfig& config,
                            const MachineOptions& options) {
  if (name == "iss") return MakeIss(config);
  if (name == "sysc") return MakeSystemc(config, {}, options);
  BW_CHECK(name == "rtl", "executor {}", name);
  BW_ASSIGN_OR_RETURN(sysc::SystemcOptions rtl, RtlOptions(config, options));
  return MakeSystemc(config, std::move(rtl), options);
}

}  // namespace bw::cosim
