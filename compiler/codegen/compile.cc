#include "compiler/codegen/compile.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "compiler/codegen/assemble.h"
#include "compiler/codegen/node_code.h"
#include "compiler/codegen/prepare_graph.h"
#include "models/tensor/bitpack.h"

namespace bw::codegen {
namespace {

using graph::IntGraph;
using graph::IntNode;
using graph::IntValue;
using graph::IntValueId;

class Compiler {
 public:
  Compiler(const IntGraph& original, const hwconfig::HwConfig& config,
           const CompileOptions& options)
      : original_(original),
        config_(config),
        prepared_(PrepareGraph(original)),
        graph_(prepared_.graph),
        values_(graph_),
        storage_(graph_, values_, config, options.keep_resident),
        assembler_(config, options.software_pipeline),
        by_channels_(graph_.values.size(), false) {}

  Result<isa::Program> Run() {
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      code_.push_back(MakeNodeCode(graph_, values_, storage_, n));
      if (code_.back()) {
        storage_.RequireHeadroom(graph_.nodes[n].inputs[0], code_.back()->HeadroomBits());
      }
    }
    BW_RETURN_IF_ERROR(Plan());
    emitter_ = std::make_unique<Emitter>(config_, storage_.PlaceDram());
    PlaceConstants();
    for (size_t n = 0; n < graph_.nodes.size(); ++n) EmitNode(n);
    EndSegment({});
    return Finish();
  }

 private:
  // Every node with the room that resident values leave it; where that is too little, one more
  // value is spilled and all start again.
  Status Plan() {
    storage_.PlaceScratchpad();
    for (size_t n = 0; n < graph_.nodes.size();) {
      PlanFailure failure;
      if (!code_[n] || PlanNode(n, 0, &failure)) {
        ++n;
        continue;
      }
      if (failure.key != "spm.bytes" || !storage_.SpillForRoom(n)) {
        return DoesNotFit(graph_.nodes[n], failure);
      }
      storage_.PlaceScratchpad();
      n = 0;
    }
    SpreadBuffers();
    return OkStatus();
  }

  std::optional<double> PlanNode(size_t n, uint64_t cursor, PlanFailure* failure) {
    const PlanContext context{
        graph_,      values_, storage_, config_, schedule::GapAllocator(storage_.Gaps(n), cursor),
        by_channels_};
    const std::optional<double> cycles = code_[n]->Plan(context, failure);
    const auto root = static_cast<size_t>(values_.of(graph_.nodes[n].output).root);
    by_channels_[root] = cycles && code_[n]->ByChannels();
    return cycles;
  }

  // Places values and staging buffers apart from those that have just died, so that loads and
  // results need not wait for the last readers of those: as far apart as there is room without
  // making the plans worse.
  void SpreadBuffers() {
    constexpr int64_t kNodesApart[] = {4, 2, 1};
    constexpr double kAsGood = 1.02;
    const std::optional<double> close = PlanAll();
    BW_CHECK(close.has_value(), "{} fitted before", original_.name);
    for (const int64_t slack : kNodesApart) {
      if (!storage_.PlaceApart(slack)) continue;
      const std::optional<double> apart = PlanAll();
      if (apart && *apart <= *close * kAsGood) return;
    }
    storage_.PlaceApart(0);
    PlanAll();
  }

  // Plans every node, each with its buffers behind those of the one before where there is room.
  // The sum of all estimates; nothing when some node does not fit.
  std::optional<double> PlanAll() {
    double total = 0;
    uint64_t cursor = 0;
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      if (!code_[n]) continue;
      PlanFailure failure;
      const std::optional<double> cycles = PlanNode(n, cursor, &failure);
      if (!cycles) return std::nullopt;
      total += *cycles;
      cursor = code_[n]->StagedEnd();
    }
    return total;
  }

  static Error DoesNotFit(const IntNode& node, const PlanFailure& failure) {
    Error error;
    error.place = node.name;
    error.message = fmt::format("the smallest tile needs {} {} of {}, and {} are there for it",
                                failure.needed, failure.unit, failure.key, failure.available);
    error.hint = fmt::format("raise {}", failure.key);
    return error;
  }

  // Constants that are read like activations lie as those do.
  void PlaceConstants() {
    for (const IntValueId id : storage_.ConstantActivations()) {
      const IntValue& value = graph_.value(id);
      const Layout layout = DenseLayout(value.shape.dims, values_.of(id).order, value.bits);
      std::vector<uint8_t> bytes(layout.bytes());
      const std::vector<int64_t> logical = value.shape.Strides();
      for (size_t i = 0; i < value.constant.size(); ++i) {
        int64_t at = 0;
        for (size_t axis = 0; axis < logical.size(); ++axis) {
          const int64_t index = static_cast<int64_t>(i) / logical[axis] % value.shape.dims[axis];
          at += index * layout.strides[axis];
        }
        tensor::WriteBits(bytes.data(), static_cast<uint64_t>(at), value.bits, value.constant[i]);
      }
      storage_.PlaceConstant(id, emitter_->constants().Add(std::move(bytes)));
    }
  }

  void EmitNode(size_t n) {
    const IntNode& node = graph_.nodes[n];
    emitter_->BeginLayer(prepared_.layer[n], prepared_.is_result[n]);
    if (graph::IsHostNode(node)) {
      EndSegment({MakeHostOp(n)});
    } else if (code_[n]) {
      code_[n]->Emit(*emitter_);
    } else {
      ProbeView(n);
    }
  }

  isa::HostOp MakeHostOp(size_t n) const {
    const IntNode& node = graph_.nodes[n];
    const auto& softmax = std::get<graph::IntSoftmax>(node.params);
    isa::HostOp op;
    op.kind = softmax.tflite ? "tflite_softmax" : "softmax";
    op.layer = prepared_.layer[n];
    op.input = MakeIo(node.inputs[0]);
    op.output = MakeIo(node.output);
    op.table = softmax.exp_table;
    op.lo = softmax.lo, op.hi = softmax.hi, op.one = softmax.one;
    return op;
  }

  // A view is complete when its storage is. Whoever is probed also counts as a reader of all of it,
  // so that nothing that comes later is loaded over it before.
  void ProbeView(size_t n) {
    const IntValueId id = graph_.nodes[n].output;
    const bool in_spm = storage_.ResidentAt(id, n) || !storage_.InDram(id);
    const View view = in_spm ? storage_.Spm(id) : storage_.Dram(id);
    const Box box = WholeBox(graph_.value(id).shape.dims);
    const schedule::Access range = Touch(view, box);
    const std::vector<OperationId> writers = emitter_->Writers(range);
    if (writers.size() == 1) {
      emitter_->AlsoReads(writers[0], range);
      emitter_->Probe(writers[0], view, box);
    } else {
      emitter_->Probe(emitter_->Fence(range), view, box);
    }
  }

  void EndSegment(std::vector<isa::HostOp> host_ops) {
    emitter_->Halt();
    assembler_.AddSegment(emitter_->TakeOperations(), std::move(host_ops), program_);
  }

  isa::IoTensor MakeIo(IntValueId id) const {
    const IntValue& value = graph_.value(id);
    isa::IoTensor io;
    io.name = value.name;
    io.shape = value.shape;
    io.bits = value.bits;
    io.is_signed = value.is_signed;
    io.scale = value.scale;
    io.zero_point = value.zero_point;
    io.file_axes = value.file_axes;
    io.ties_to_even = value.ties_to_even;
    io.file_integers = value.file_integers;
    io.placement = PlacementOf(storage_.Dram(id), Index(value.shape.dims.size(), 0));
    return io;
  }

  Result<isa::Program> Finish() {
    ConstantPool& pool = emitter_->constants();
    program_.dram_bytes_used = pool.end_byte();
    if (program_.dram_bytes_used > static_cast<uint64_t>(config_.dram_bytes)) {
      Error error;
      error.place = original_.name;
      error.message = fmt::format(
          "constants, inputs, outputs and spilled tensors take {} bytes of "
          "DRAM, and there are {}",
          program_.dram_bytes_used, config_.dram_bytes);
      error.hint = "raise dram.bytes";
      return error;
    }
    const uint64_t first = pool.first_byte();
    std::vector<uint8_t> bytes = pool.Take();
    if (!bytes.empty()) program_.constants.push_back({first, std::move(bytes)});
    assembler_.AddProbes(emitter_->TakeProbes(), program_);
    program_.network = original_.name;
    program_.config = config_;
    for (const IntValueId id : graph_.inputs) program_.inputs.push_back(MakeIo(id));
    for (const IntValueId id : graph_.outputs) program_.outputs.push_back(MakeIo(id));
    for (const IntNode& node : original_.nodes) {
      const IntValue& out = original_.value(node.output);
      program_.layers.push_back({node.name, std::string(graph::ToString(node.op)), out.shape,
                                 out.bits,
                                 static_cast<uint64_t>(graph::CountMacs(original_, node))});
    }
    program_.warnings = AccumulatorWarnings(original_, config_);
    return std::move(program_);
  }

  const IntGraph& original_;
  const hwconfig::HwConfig& config_;
  PreparedGraph prepared_;
  const IntGraph& graph_;
  ValueTable values_;
  StorageTable storage_;
  Assembler assembler_;
  std::vector<std::unique_ptr<NodeCode>> code_;
  std::unique_ptr<Emitter> emitter_;
  isa::Program program_;
  std::vector<bool> by_channels_;  // by root value
};

}  // namespace

Result<isa::Program> Compile(const IntGraph& graph, const hwconfig::HwConfig& config,
                             const CompileOptions& options) {
  BW_RETURN_IF_ERROR(CheckSupport(graph, config));
  return Compiler(graph, config, options).Run();
}

}  // namespace bw::codegen
