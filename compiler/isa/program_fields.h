// The members of a program in the order in which files hold them: one description for the writer
// and the reader. An archive is called with each member in turn.
#ifndef COMPILER_ISA_PROGRAM_FIELDS_H_
#define COMPILER_ISA_PROGRAM_FIELDS_H_

#include "compiler/isa/program.h"

namespace bw::isa {

template <typename Archive>
void Visit(Archive& archive, Word& w) {
  archive(w.lo);
  archive(w.hi);
}

template <typename Archive>
void Visit(Archive& archive, Placement& p) {
  archive(p.base_bit);
  archive(p.strides);
  archive(p.bits);
  archive(p.is_signed);
}

template <typename Archive>
void Visit(Archive& archive, IoTensor& t) {
  archive(t.name);
  archive(t.shape.dims);
  archive(t.bits);
  archive(t.is_signed);
  archive(t.scale);
  archive(t.zero_point);
  archive(t.file_axes);
  archive(t.ties_to_even);
  archive(t.file_integers);
  archive(t.placement);
}

template <typename Archive>
void Visit(Archive& archive, Probe& p) {
  archive(p.instruction);
  archive(p.layer);
  archive(p.memory);
  archive(p.first);
  archive(p.extent);
  archive(p.placement);
}

template <typename Archive>
void Visit(Archive& archive, LayerInfo& l) {
  archive(l.name);
  archive(l.op);
  archive(l.shape.dims);
  archive(l.bits);
  archive(l.macs);
}

template <typename Archive>
void Visit(Archive& archive, InstructionInfo& i) {
  archive(i.layer);
  archive(i.tile);
}

template <typename Archive>
void Visit(Archive& archive, HostOp& h) {
  archive(h.kind);
  archive(h.layer);
  archive(h.input);
  archive(h.output);
  archive(h.table);
  archive(h.lo);
  archive(h.hi);
  archive(h.one);
}

template <typename Archive>
void Visit(Archive& archive, Segment& s) {
  archive(s.first);
  archive(s.count);
  archive(s.host_ops);
}

template <typename Archive>
void Visit(Archive& archive, Constants& c) {
  archive(c.dram_byte);
  archive(c.bytes);
}

// The sections of a file, in order. `section(tag, members...)`.
template <typename Sections>
void VisitSections(Sections& section, Program& p, std::string& config_yaml) {
  section("NAME", p.network, p.dram_bytes_used, p.warnings);
  section("CONF", config_yaml);
  section("IOTB", p.inputs, p.outputs);
  section("DATA", p.constants);
  section("CODE", p.code);
  section("INFO", p.info);
  section("SEGM", p.segments);
  section("LAYR", p.layers);
  section("PROB", p.probes);
}

}  // namespace bw::isa

#endif  // COMPILER_ISA_PROGRAM_FIELDS_H_
