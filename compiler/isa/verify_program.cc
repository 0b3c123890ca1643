#include "compiler/isa/verify_program.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "compiler/isa/descriptor.h"
#include "models/arith/rounding.h"
#include "models/arith/tflite_softmax.h"

namespace bw::isa {
namespace {

constexpr size_t kMaxRank = 6;

// What is wrong with elements at `placement` for these extents; empty when they are all inside.
std::string PlacementProblem(const Placement& p, const std::vector<int64_t>& extent, Memory memory,
                             const hwconfig::HwConfig& config) {
  if (extent.size() > kMaxRank || p.strides.size() != extent.size()) {
    return fmt::format("{} axes and {} strides; both alike, {} at most", extent.size(),
                       p.strides.size(), kMaxRank);
  }
  const bool spm = memory == Memory::kSpm;
  const bool container = p.bits == 4 || p.bits == 8 || p.bits == 16 || p.bits == 32;
  if (spm ? !container : !((p.bits >= 2 && p.bits <= 16) || p.bits == 32)) {
    return fmt::format("elements of {} bits; they have {}", p.bits,
                       spm ? "4, 8, 16 or 32" : "2..16 or 32");
  }
  const arith::Int128 size = arith::Int128{spm ? config.spm_bytes : config.dram_bytes} * 8;
  arith::Int128 lo = p.base_bit, hi = lo + p.bits - 1, elements = 1;
  for (size_t i = 0; i < extent.size(); ++i) {
    if (extent[i] < 1) return fmt::format("extent {} of axis {}; at least 1", extent[i], i);
    if (extent[i] > size || (elements *= extent[i]) > size)
      return "more elements than the memory has bits";
    const arith::Int128 reach = arith::Int128{extent[i] - 1} * p.strides[i];
    (reach < 0 ? lo : hi) += reach;
  }
  if (lo >= 0 && hi < size) return {};
  return fmt::format("leaves the {}, which has bytes 0..{}", spm ? "scratchpad" : "DRAM",
                     static_cast<int64_t>(size / 8) - 1);
}

// Every axis 0..rank-1 once.
bool IsPermutation(const std::vector<int>& axes, int rank) {
  std::vector<bool> seen(static_cast<size_t>(rank), false);
  if (static_cast<int>(axes.size()) != rank) return false;
  for (const int axis : axes) {
    if (axis < 0 || axis >= rank || seen[static_cast<size_t>(axis)]) return false;
    seen[static_cast<size_t>(axis)] = true;
  }
  return true;
}

void VerifyIo(const Program& program, const IoTensor& io, const std::string& kind,
              ProblemList& problems) {
  const std::string place = fmt::format("{} '{}'", kind, io.name);
  const std::string problem =
      PlacementProblem(io.placement, io.shape.dims, Memory::kDram, program.config);
  if (!problem.empty()) problems.Add(place, problem);
  if (io.bits < 1 || io.bits > io.placement.bits) {
    problems.Add(place,
                 fmt::format("values of {} bits in elements of {}", io.bits, io.placement.bits));
  }
  if (!std::isfinite(io.scale) || io.scale <= 0) {
    problems.Add(place, fmt::format("scale {}; it is positive", io.scale));
  }
  if (!io.file_axes.empty() && !IsPermutation(io.file_axes, io.shape.rank())) {
    problems.Add(place, fmt::format("file_axes {} are no order of the {} axes",
                                    fmt::join(io.file_axes, ","), io.shape.rank()));
  }
}

// What keeps the fixed-point arithmetic inside 32 bits, and the result in its type.
void VerifyTfliteSoftmax(const HostOp& op, const std::string& place, ProblemList& problems) {
  bool table = !op.table.empty() && op.table[0] == std::numeric_limits<int32_t>::max();
  for (const int32_t entry : op.table) table = table && entry >= 0;
  if (!table) problems.Add(place, "its table does not start with 2^31 - 1 or goes below 0");
  const tensor::Shape& shape = op.input.shape;
  const int64_t row = shape.rank() == 0 ? 1 : shape[shape.rank() - 1];
  if (row > arith::kTfliteSoftmaxMostElements) {
    problems.Add(place, fmt::format("rows of {} elements; at most {}", row,
                                    arith::kTfliteSoftmaxMostElements));
  }
  if (op.output.bits != 8 || !op.output.is_signed) {
    problems.Add(place, fmt::format("a result of {} {} bits; it is 8 signed ones", op.output.bits,
                                    op.output.is_signed ? "signed" : "unsigned"));
  }
}

void VerifySoftmax(const Program& program, const HostOp& op, const std::string& place,
                   ProblemList& problems) {
  VerifyIo(program, op.input, place + " input", problems);
  VerifyIo(program, op.output, place + " output", problems);
  if (op.input.shape != op.output.shape) {
    problems.Add(place, fmt::format("input {} and output {} differ in shape",
                                    op.input.shape.ToString(), op.output.shape.ToString()));
  }
  if (op.kind == "tflite_softmax") return VerifyTfliteSoftmax(op, place, problems);
  bool table = !op.table.empty() && op.table[0] > 0;
  for (const int32_t entry : op.table) table = table && entry >= 0 && entry <= 1 << 24;
  if (!table) problems.Add(place, "its table is empty, starts with 0 or leaves 0..2^24");
  if (op.one < 0 || op.one >= int64_t{1} << 31 || op.lo > op.hi) {
    problems.Add(place, fmt::format("one {}, clip {}..{}", op.one, op.lo, op.hi));
  }
}

void VerifyHostOps(const Program& program, ProblemList& problems) {
  for (const Segment& segment : program.segments) {
    for (const HostOp& op : segment.host_ops) {
      const std::string place = fmt::format("host operator '{}'", op.kind);
      if (op.layer >= program.layers.size()) {
        problems.Add(place, fmt::format("layer {} of {}", op.layer, program.layers.size()));
      }
      if (op.kind != "softmax" && op.kind != "tflite_softmax") {
        problems.Add(place, "there is no such operator; there are softmax and tflite_softmax");
        continue;
      }
      VerifySoftmax(program, op, place, problems);
    }
  }
}

void VerifyConstants(const Program& program, ProblemList& problems) {
  const auto size = static_cast<uint64_t>(program.config.dram_bytes);
  for (const Constants& block : program.constants) {
    if (block.dram_byte <= size && block.bytes.size() <= size - block.dram_byte) continue;
    problems.Add("constants", fmt::format("{} bytes at {} leave the DRAM, which has {}",
                                          block.bytes.size(), block.dram_byte, size));
  }
  if (program.dram_bytes_used > size) {
    problems.Add("dram_bytes_used", fmt::format("{} of {} bytes", program.dram_bytes_used, size));
  }
}

void VerifyInfo(const Program& program, ProblemList& problems) {
  if (program.info.size() != program.code.size()) {
    problems.Add("map to layers", fmt::format("{} entries for {} instructions", program.info.size(),
                                              program.code.size()));
    return;
  }
  const size_t layers = std::max<size_t>(program.layers.size(), 1);  // 0 where there are none
  for (uint32_t i = 0; i < program.info.size() && !problems.full(); ++i) {
    if (program.info[i].layer < layers) continue;
    problems.AddAt(
        i, fmt::format("belongs to layer {} of {}", program.info[i].layer, program.layers.size()));
  }
}

std::string ProbeProblem(const Program& program, const Probe& probe) {
  if (probe.instruction >= program.code.size()) {
    return fmt::format("instruction {} of {}", probe.instruction, program.code.size());
  }
  if (probe.layer >= program.layers.size()) {
    return fmt::format("layer {} of {}", probe.layer, program.layers.size());
  }
  if (probe.memory != Memory::kSpm && probe.memory != Memory::kDram) {
    return "neither in the scratchpad nor in DRAM";
  }
  const std::vector<int64_t>& dims = program.layers[probe.layer].shape.dims;
  if (probe.first.size() != dims.size() || probe.extent.size() != dims.size()) {
    return fmt::format("{} axes, but its layer has {}", probe.first.size(), dims.size());
  }
  for (size_t i = 0; i < dims.size(); ++i) {
    if (probe.first[i] >= 0 && probe.first[i] <= dims[i] && probe.extent[i] >= 0 &&
        probe.extent[i] <= dims[i] - probe.first[i]) {
      continue;
    }
    return fmt::format("elements {} to {} + {} of axis {}, which has {}", probe.first[i],
                       probe.first[i], probe.extent[i], i, dims[i]);
  }
  return PlacementProblem(probe.placement, probe.extent, probe.memory, program.config);
}

void VerifyProbes(const Program& program, ProblemList& problems) {
  uint32_t before = 0;
  for (size_t i = 0; i < program.probes.size() && !problems.full(); ++i) {
    const Probe& probe = program.probes[i];
    std::string problem = ProbeProblem(program, probe);
    if (problem.empty() && probe.instruction < before) {
      problem =
          fmt::format("instruction {} behind {}; they are in order", probe.instruction, before);
    }
    if (!problem.empty()) problems.Add(fmt::format("probe {}", i), std::move(problem));
    before = probe.instruction;
  }
}

void VerifyLayers(const Program& program, ProblemList& problems) {
  for (const LayerInfo& layer : program.layers) {
    const auto elements = layer.shape.CheckedElements();
    if (elements && *elements <= int64_t{1} << 32) continue;
    problems.Add(fmt::format("layer '{}'", layer.name),
                 fmt::format("shape {}", layer.shape.ToString()));
  }
}

}  // namespace

void ProblemList::Add(std::string place, std::string message) {
  if (!full()) problems_.push_back({std::nullopt, std::move(place), std::move(message)});
}

void ProblemList::AddAt(uint32_t instruction, std::string message) {
  if (full()) return;
  problems_.push_back(
      {instruction, DescribeInstruction(program_, instruction), std::move(message)});
}

std::string DescribeInstruction(const Program& program, uint32_t instruction) {
  std::string text = fmt::format("instruction {}", instruction);
  if (instruction >= program.code.size()) return text;
  const Result<Instruction> decoded = Decode(program.code[instruction]);
  text += fmt::format(" ({}", decoded.ok() ? Mnemonic(decoded->opcode) : "unknown");
  if (instruction < program.info.size()) {
    const InstructionInfo& info = program.info[instruction];
    if (info.layer < program.layers.size()) {
      text += fmt::format(", layer '{}', tile {}", program.layers[info.layer].name, info.tile);
    }
  }
  return text + ")";
}

std::vector<Problem> FindProblems(const Program& program) {
  ProblemList problems(program);
  VerifyLayers(program, problems);
  VerifyInfo(program, problems);
  VerifyConstants(program, problems);
  for (const IoTensor& io : program.inputs) VerifyIo(program, io, "input", problems);
  for (const IoTensor& io : program.outputs) VerifyIo(program, io, "output", problems);
  VerifyHostOps(program, problems);
  VerifyProbes(program, problems);
  VerifyCode(program, problems);
  return problems.Take();
}

Status VerifyProgram(const Program& program, const std::string& file) {
  Errors errors;
  for (Problem& problem : FindProblems(program)) {
    Error error;
    error.file = file;
    error.place = std::move(problem.place);
    error.message = std::move(problem.message);
    errors.push_back(std::move(error));
  }
  if (!errors.empty()) return errors;
  return OkStatus();
}

}  // namespace bw::isa
