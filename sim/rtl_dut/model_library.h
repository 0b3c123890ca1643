// Verilated models on demand: one shared library for each parameter set, in a cache.
#ifndef SIM_RTL_DUT_MODEL_LIBRARY_H_
#define SIM_RTL_DUT_MODEL_LIBRARY_H_

#include <functional>
#include <string>

#include "models/status/result.h"
#include "sim/rtl_dut/rtl_abi.h"
#include "sim/rtl_dut/rtl_parameters.h"

namespace bw::rtl_dut {

struct LibraryOptions {
  // Folder with rtl/*.sv and sim/rtl_dut/; empty: BITWRIGHT_SOURCE_DIR, else where it was built.
  std::string source_dir;
  // Where libraries are kept; empty: BITWRIGHT_CACHE_DIR, else $XDG_CACHE_HOME/bitwright, else
  // ~/.cache/bitwright, else /tmp/bitwright-UID. Models of the named configs are found in the build
  // folder.
  std::string cache_dir;
  bool trace = false;                                     // can write a VCD; slower
  std::function<void(const std::string& text)> progress;  // "building the RTL model of ..."
};

// Name of the library of one parameter set: depends on the RTL and shim sources, the parameters,
// the Verilator version and `trace`.
Result<std::string> LibraryFileName(const RtlParameters& parameters, const LibraryOptions& options);

// Loads the model, after building it (seconds) when no cache has it. Errors: sources or tools
// missing, with what to install; a failed build, with its last lines.
Result<const BwRtlApi*> LoadModel(const RtlParameters& parameters, const LibraryOptions& options);

// Builds into `folder` without loading; does nothing when the library is there. For the build of
// the project itself.
Status BuildModel(const RtlParameters& parameters, const LibraryOptions& options,
                  const std::string& folder);

}  // namespace bw::rtl_dut

#endif  // SIM_RTL_DUT_MODEL_LIBRARY_H_
