// A compiled network: the contents of a .bwp file.
#ifndef COMPILER_ISA_PROGRAM_H_
#define COMPILER_ISA_PROGRAM_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "compiler/isa/instruction.h"
#include "models/hwconfig/hw_config.h"
#include "models/status/result.h"
#include "models/tensor/shape.h"

namespace bw::isa {

// How a logical tensor lies in a memory: element (i0, i1, ...) in logical axis order sits at
// base_bit + sum i_k * stride_k bits. Rank at most 6.
struct Placement {
  uint64_t base_bit = 0;
  std::vector<int64_t> strides;  // bits (dram, spm), one an axis of the shape
  int bits = 8;                  // element (dram) or container (spm) width
  bool is_signed = true;
};

// An input or output of the program, in DRAM.
struct IoTensor {
  std::string name;
  tensor::Shape shape;  // logical (ONNX) order
  int bits = 8;         // of the values
  bool is_signed = true;
  double scale = 1.0;
  int64_t zero_point = 0;
  std::vector<int> file_axes;  // axis i in files is axis file_axes[i] here; empty: the same axes
  bool ties_to_even = false;   // reals become integers to even, else half away from zero
  bool file_integers = false;  // IntValue::file_integers
  Placement placement;
};

// Part of a layer's output that is complete when instruction `instruction` retires. Untimed:
// reading it costs no cycles. Box [first, first + extent) of the logical tensor.
struct Probe {
  uint32_t instruction = 0;
  uint32_t layer = 0;
  Memory memory = Memory::kSpm;  // kSpm or kDram
  std::vector<int64_t> first, extent;
  Placement placement;  // of element `first`
};

struct LayerInfo {
  std::string name;  // of the IntNode
  std::string op;    // float operator, for tables
  tensor::Shape shape;
  int bits = 8;
  uint64_t macs = 0;
};

// What an instruction belongs to.
struct InstructionInfo {
  uint32_t layer = 0;
  uint32_t tile = 0;
};

// A segment of instructions, ended by halt; then the host operators that follow it, in order.
struct HostOp {
  std::string kind;  // "softmax", "tflite_softmax" (whose lo, hi and one are not used)
  uint32_t layer = 0;
  IoTensor input, output;  // rows along the last logical axis
  std::vector<int32_t> table;
  int64_t lo = 0, hi = 0, one = 0;
};
struct Segment {
  uint32_t first = 0, count = 0;  // instructions
  std::vector<HostOp> host_ops;   // after the segment
};

struct Constants {
  uint64_t dram_byte = 0;
  std::vector<uint8_t> bytes;
};

struct Program {
  std::string network;
  hwconfig::HwConfig config;
  std::vector<IoTensor> inputs, outputs;
  std::vector<Constants> constants;  // written to DRAM before the run
  std::vector<Word> code;
  std::vector<InstructionInfo> info;  // one an instruction
  std::vector<Segment> segments;      // cover the code in order
  std::vector<LayerInfo> layers;
  std::vector<Probe> probes;     // ordered by instruction
  uint64_t dram_bytes_used = 0;  // constants, inputs, outputs, spills; from address 0
  std::vector<std::string> warnings;
};

// .bwp: magic "BWPROG\n", format version, sections with lengths, CRC-32 of everything before it.
// Reading checks magic, version, lengths, checksum, then every reference inside (VerifyProgram).
Status WriteProgram(const Program& program, const std::string& path);
Result<Program> ReadProgram(const std::string& path);
std::vector<uint8_t> SerialiseProgram(const Program& program);
Result<Program> ParseProgram(const std::vector<uint8_t>& bytes, const std::string& file);

// Every instruction decodes, every descriptor is inside its memory, segments end in halt and cover
// the code, tokens balance (each queue pair: as many posts as waits, posts before waits), IO and
// constants inside DRAM, probes and layers refer to what exists. All problems, each naming its
// instruction.
Status VerifyProgram(const Program& program, const std::string& file);

// Text form: one instruction a line, with directives (.network, .config, .input, ...) for the rest,
// so that Assemble(Disassemble(p)) == p, byte for byte. Errors carry file:line:column.
std::string Disassemble(const Program& program);
// One instruction of that text, without its line's indentation and end.
std::string DisassembleInstruction(const Word& word);
Result<Program> Assemble(const std::string& text, const std::string& file);

// ISA.md and the SystemVerilog package, made from isa.def.
std::string DescribeIsa();
std::string SystemVerilogPackage();

}  // namespace bw::isa

#endif  // COMPILER_ISA_PROGRAM_H_
