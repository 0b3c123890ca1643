#include "sim/sysc/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <utility>

#include "sim/ppu/native_core.h"

namespace bw::sysc {

Machine::Machine(const sc_core::sc_module_name& name)
    : sc_module(name),
      dram_("dram"),
      controller_("dram_controller"),
      spm_("scratchpad"),
      acc_("accumulators"),
      ppu_("ppu", spm_, acc_),
      load_("load", controller_, spm_, ppu_.tables()),
      mac_("mac", spm_, acc_),
      store_("store", controller_, spm_),
      dispatcher_("dispatcher", controller_,
                  {&load_.front(), &mac_.front(), &ppu_.front(), &store_.front()}) {
  controller_.socket.bind(dram_.socket);
  SC_HAS_PROCESS(Machine);
  SC_METHOD(Cycle);
  sensitive << start_;
  dont_initialize();
}

Machine& Machine::OfProcess() {
  static Machine machine("machine");
  return machine;
}

void Machine::Begin(const isa::Program& program, const hwconfig::HwConfig& config,
                    const MachineOptions& options, uint8_t* dram,
                    machine::RetireObserver* observer) {
  context_.config = config;
  context_.stall_seed = options.stall_seed;
  context_.faults = options.faults;
  context_.events = options.events;
  context_.spm_observer = options.spm_observer;
  context_.clock.now = 0;
  context_.tokens.Configure(context_.clock);
  context_.retirement.Configure(context_.clock, context_.tokens, *this);
  context_.recorder.Begin(program);
  context_.segments_dispatched.Reset();
  context_.segments_begun = 0;
  context_.failure.reset();

  dram_.Configure(context_.config, dram, program.code);
  controller_.Configure(context_);
  spm_.Configure(context_);
  acc_.Configure(context_);
  ppu_.Configure(context_, options.ppu_core ? options.ppu_core(context_.config)
                                            : std::make_unique<ppu::NativeCore>(context_.config));
  load_.Configure(context_);
  mac_.Configure(context_);
  store_.Configure(context_);
  dispatcher_.Configure(context_);

  processes_ = {&controller_, &spm_, &acc_, &ppu_, &load_, &mac_, &store_, &dispatcher_};
  if (options.order_seed != 0) {
    std::shuffle(processes_.begin(), processes_.end(), std::mt19937_64(options.order_seed));
  }
  program_ = &program;
  observer_ = observer;
  view_ = {dram, spm_.bytes()};
  last_progress_ = 0;
  stuck_ = false;
}

void Machine::OnRetire(isa::Queue queue, uint32_t instruction) {
  context_.recorder.OnRetire(instruction);
  if (context_.events != nullptr) {
    context_.events->OnRetire(queue, instruction, context_.clock.now);
  }
  if (observer_ != nullptr) observer_->OnRetire(instruction, context_.clock.now, view_);
}

bool Machine::Stuck() {
  if (context_.recorder.TakeProgress()) last_progress_ = context_.clock.now;
  const auto patience = static_cast<uint64_t>(timing::WatchdogCycles(context_.config));
  return context_.clock.now - last_progress_ > patience;
}

void Machine::Cycle() {
  for (Clocked* process : processes_) process->Clock();
  context_.recorder.EndCycle();
  stuck_ = Stuck();
  ++context_.clock.now;
  if (!dispatcher_.finished() && !context_.failure && !stuck_) next_trigger(CyclePeriod());
}

Error Machine::InstructionError(uint32_t index, std::string message) const {
  const isa::InstructionInfo& info = program_->info.at(index);
  std::string layer = "?";
  if (info.layer < program_->layers.size()) layer = program_->layers[info.layer].name;
  Error error;
  error.place = fmt::format("instruction {} (layer '{}', tile {})", index, layer, info.tile);
  error.message = std::move(message);
  return error;
}

// What each queue waits for.
Status Machine::DeadlockError() {
  Errors errors;
  for (EngineFront* front : {&load_.front(), &mac_.front(), &ppu_.front(), &store_.front()}) {
    if (!front->queue().HasEntry()) continue;
    const QueuedInstruction& head = front->queue().Front();
    const isa::Instruction& instruction = head.instruction;
    const int missing = context_.tokens.Missing(instruction.queue, instruction.wait);
    const std::string waits = missing < 0
                                  ? "cannot start"
                                  : fmt::format("waits for a token from queue {} to queue {}",
                                                isa::QueueName(static_cast<isa::Queue>(missing)),
                                                isa::QueueName(instruction.queue));
    errors.push_back(
        InstructionError(head.index, fmt::format("{} {}: deadlock, nothing has moved for {} cycles",
                                                 isa::Mnemonic(instruction.opcode), waits,
                                                 context_.clock.now - last_progress_)));
  }
  dispatcher_.AddWaiting(errors, [this](uint32_t index, std::string message) {
    return InstructionError(index, std::move(message));
  });
  BW_CHECK(!errors.empty(), "nothing has moved for {} cycles and nothing waits",
           context_.clock.now - last_progress_);
  return errors;
}

Status Machine::RunSegment(const isa::Segment& segment) {
  dispatcher_.BeginSegment(segment.first, segment.count);
  last_progress_ = context_.clock.now;
  start_.notify(sc_core::SC_ZERO_TIME);
  sc_core::sc_start();
  if (context_.failure) {
    std::string message;
    for (const Error& error : context_.failure->errors) {
      if (!message.empty()) message += "; ";
      message += error.ToString();
    }
    return InstructionError(context_.failure->instruction, message);
  }
  if (stuck_) return DeadlockError();
  return OkStatus();
}

}  // namespace bw::sysc
