// Golden against one executor: every element of every probed layer, bit for bit.
#ifndef SIM_COSIM_COMPARISON_H_
#define SIM_COSIM_COMPARISON_H_

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/graph/int_graph.h"
#include "compiler/isa/program.h"
#include "models/golden/int_tensor.h"
#include "models/status/result.h"
#include "sim/cosim/golden_trace.h"
#include "sim/cosim/isolate.h"
#include "sim/cosim/probe_collector.h"

namespace bw::cosim {

// Index of the IntNode of every layer of the program, by name. A layer that the graph does not
// have, or has with another shape, is an error.
Result<std::vector<size_t>> NodesOfLayers(const isa::Program& program, const graph::IntGraph& ints);

// Operations of a layer that have no RTL: by mnemonic, elements a sample. Empty when all have.
struct NotInRtl {
  std::vector<std::string> operations;
  int64_t elements = 0;
};
Result<std::vector<NotInRtl>> LayersNotInRtl(const isa::Program& program);

struct Difference {
  size_t sample = 0, layer = 0;
  int64_t element = 0;
  int32_t expected = 0, got = 0;
  int output = -1;  // >= 0: found in this output of the program in DRAM, not by a probe
};

struct Tally {
  int64_t compared = 0, mismatches = 0;
};

class Comparison {
 public:
  // `rtl`: layers with operations that have no RTL are compared but not counted as compared.
  static Result<Comparison> Make(const isa::Program& program, const graph::IntGraph& ints,
                                 bool rtl);

  // One sample; true when this sample has the first difference of all.
  bool Add(size_t sample, const GoldenTrace& golden, const ProbeCollector& probes,
           const std::vector<golden::IntTensor>& outputs);

  bool HasDifference() const { return found_; }
  const Difference& first() const { return first_; }
  const std::vector<size_t>& nodes() const { return nodes_; }
  // The first difference with its place in the program and what made the expected value.
  Json Describe(const GoldenTrace& golden, const ProbeCollector& probes) const;
  // "elements_compared", "mismatches", "output_mismatches", "not_in_rtl", "layers".
  Json ToJson() const;

 private:
  Comparison(const isa::Program& program, const graph::IntGraph& ints)
      : program_(&program), ints_(&ints) {}
  void AddLayer(size_t sample, size_t layer, const golden::IntTensor& want,
                const std::vector<int32_t>& got);
  void AddOutput(size_t sample, size_t output, const golden::IntTensor& want,
                 const golden::IntTensor& got);

  const isa::Program* program_;  // outlives this, as the graph does
  const graph::IntGraph* ints_;
  std::vector<size_t> nodes_;         // by layer
  std::vector<bool> host_;            // by layer
  std::vector<NotInRtl> not_in_rtl_;  // by layer
  std::vector<Tally> tallies_;        // by layer
  int64_t output_mismatches_ = 0;
  size_t samples_ = 0;
  bool found_ = false;
  Difference first_;
};

}  // namespace bw::cosim

#endif  // SIM_COSIM_COMPARISON_H_
