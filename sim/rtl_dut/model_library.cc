#include "sim/rtl_dut/model_library.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

namespace bw::rtl_dut {
namespace {

namespace fs = std::filesystem;

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string SourceDir(const LibraryOptions& options) {
  if (!options.source_dir.empty()) return options.source_dir;
  const std::string set = Environment("BITWRIGHT_SOURCE_DIR");
  return set.empty() ? BW_DEFAULT_SOURCE_DIR : set;
}

std::string CacheDir(const LibraryOptions& options) {
  if (!options.cache_dir.empty()) return options.cache_dir;
  if (const std::string set = Environment("BITWRIGHT_CACHE_DIR"); !set.empty()) return set;
  if (const std::string set = Environment("XDG_CACHE_HOME"); !set.empty()) {
    return set + "/bitwright";
  }
  if (const std::string home = Environment("HOME"); !home.empty()) {
    return home + "/.cache/bitwright";
  }
  return fmt::format("/tmp/bitwright-{}", getuid());
}

// RTL modules in the order of their names, behind the generated package.
std::vector<fs::path> RtlFiles(const std::string& source_dir) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(source_dir + "/rtl", error)) {
    if (entry.path().extension() == ".sv") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  if (!files.empty()) files.insert(files.begin(), source_dir + "/rtl/gen/bw_isa_pkg.sv");
  return files;
}

constexpr std::array<const char*, 2> kShimFiles = {"/sim/rtl_dut/model_shim.cc",
                                                   "/sim/rtl_dut/rtl_abi.h"};

// 64-bit FNV-1a.
class Hash {
 public:
  void Add(const std::string& text) {
    for (const char c : text) {
      state_ = (state_ ^ static_cast<uint8_t>(c)) * 0x100000001b3U;
    }
    state_ = (state_ ^ 0xffU) * 0x100000001b3U;  // "ab","c" differs from "a","bc"
  }
  uint64_t value() const { return state_; }

 private:
  uint64_t state_ = 0xcbf29ce484222325U;
};

Result<std::string> ReadText(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    return Error{path,
                 0,
                 0,
                 "",
                 "cannot read this source of the RTL model",
                 "set BITWRIGHT_SOURCE_DIR to the folder of the bitwright sources"};
  }
  return std::string(std::istreambuf_iterator<char>(in), {});
}

std::string Quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

// Runs a shell command; its output goes to `log`.
int Run(const std::string& command, const fs::path& log) {
  const int status = std::system((command + " >>" + Quoted(log.string()) + " 2>&1").c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

std::string LastLines(const fs::path& path, size_t count) {
  std::ifstream in(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  std::string text;
  for (size_t i = lines.size() > count ? lines.size() - count : 0; i < lines.size(); ++i) {
    text += "\n  " + lines[i];
  }
  return text;
}

std::string VerilateCommand(const RtlParameters& p, const LibraryOptions& options,
                            const fs::path& work) {
  std::string command =
      "verilator --cc --build -j 2 -O3 --x-assign fast --x-initial fast "
      "--noassert -MAKEFLAGS OPT_FAST=-O2 -Wno-fatal --top-module bw_ppu -CFLAGS '-fPIC -std=c++17 "
      "-O2'";
  if (options.trace) command += " --trace";
  for (const auto& [name, value] : p.AsList()) command += fmt::format(" -G{}={}", name, value);
  command += " --Mdir " + Quoted(work.string());
  for (const fs::path& file : RtlFiles(SourceDir(options))) command += " " + Quoted(file.string());
  return command;
}

// Common to everything that is compiled beside the model: Verilator's headers, tracing.
std::string CompileCommand(const LibraryOptions& options) {
  const int trace = options.trace ? 1 : 0;
  return fmt::format(
      "root=$(verilator --getenv VERILATOR_ROOT) && c++ -std=c++17 -O2 -fPIC -pthread "
      "-fvisibility=hidden -isystem \"$root/include\" -isystem \"$root/include/vltstd\" "
      "-DVM_TRACE={} -DVM_TRACE_VCD={} -DBW_TRACE={} ",
      trace, trace, trace);
}

std::string RuntimeCommand(const LibraryOptions& options, const fs::path& object) {
  std::string command = CompileCommand(options) + "-r -nostdlib -o " + Quoted(object.string());
  command += " \"$root/include/verilated.cpp\" \"$root/include/verilated_threads.cpp\"";
  if (options.trace) command += " \"$root/include/verilated_vcd_c.cpp\"";
  return command;
}

std::string LinkCommand(const RtlParameters& p, const LibraryOptions& options, const fs::path& work,
                        const fs::path& runtime, const fs::path& library) {
  const std::string source = SourceDir(options);
  return CompileCommand(options) +
         fmt::format(
             "-shared -DBW_LANES={} -DBW_ACT_BITS={} -DBW_A_BITS={} -DBW_MULT_BITS={} "
             "-DBW_LUT_ENTRIES={} -DBW_TABLE_WORDS={} -I{} -I{} {} {} {}/Vbw_ppu__ALL.a "
             "-Wl,-Bsymbolic -o {}",
             p.lanes, p.act_bits, p.a_bits, p.mult_bits, p.lut_entries, p.table_words,
             Quoted(source), Quoted(work.string()), Quoted(source + kShimFiles[0]),
             Quoted(runtime.string()), Quoted(work.string()), Quoted(library.string()));
}

// Verilator's own sources, compiled once for all models of a folder: most of a small model's time.
bool BuildRuntime(const LibraryOptions& options, const fs::path& work, const fs::path& runtime,
                  const fs::path& log) {
  std::error_code error;
  if (fs::exists(runtime, error)) return true;
  const fs::path fresh = work / runtime.filename();
  if (Run(RuntimeCommand(options, fresh), log) != 0) return false;
  fs::rename(fresh, runtime, error);
  return !error;
}

std::string RuntimeFileName(const LibraryOptions& options) {
  Hash hash;
  hash.Add(BW_VERILATOR_VERSION);
  return fmt::format("verilated-{:016x}{}.o", hash.value(), options.trace ? "-trace" : "");
}

Status CheckTools() {
  for (const char* tool : {"verilator", "make", "c++"}) {
    if (std::system(fmt::format("command -v {} >/dev/null 2>&1", tool).c_str()) != 0) {
      return Error{"",
                   0,
                   0,
                   tool,
                   "not found, but the RTL of this config is not built yet",
                   "apt-get install verilator make g++, or leave `rtl` out of --executors"};
    }
  }
  return OkStatus();
}

}  // namespace

Result<std::string> LibraryFileName(const RtlParameters& parameters,
                                    const LibraryOptions& options) {
  const std::string source = SourceDir(options);
  const std::vector<fs::path> files = RtlFiles(source);
  if (files.empty()) {
    return Error{source + "/rtl",
                 0,
                 0,
                 "",
                 "no SystemVerilog sources here",
                 "set BITWRIGHT_SOURCE_DIR to the folder of the bitwright sources"};
  }
  Hash hash;
  hash.Add(BW_VERILATOR_VERSION);
  for (const fs::path& file : files) {
    BW_ASSIGN_OR_RETURN(const std::string text, ReadText(file.string()));
    hash.Add(file.filename().string());
    hash.Add(text);
  }
  for (const char* name : kShimFiles) {
    BW_ASSIGN_OR_RETURN(const std::string text, ReadText(source + name));
    hash.Add(text);
  }
  for (const auto& [name, value] : parameters.AsList()) {
    hash.Add(fmt::format("{}={}", name, value));
  }
  return fmt::format("bw_ppu-{:016x}{}.so", hash.value(), options.trace ? "-trace" : "");
}

Status BuildModel(const RtlParameters& parameters, const LibraryOptions& options,
                  const std::string& folder) {
  BW_ASSIGN_OR_RETURN(const std::string name, LibraryFileName(parameters, options));
  const fs::path library = fs::path(folder) / name;
  std::error_code error;
  if (fs::exists(library, error)) return OkStatus();
  BW_RETURN_IF_ERROR(CheckTools());
  // Built aside and renamed, so that an interrupted or concurrent build leaves nothing half done.
  const fs::path work = fs::path(folder) / fmt::format(".{}.{}", name, getpid());
  fs::create_directories(work, error);
  if (error) {
    return Error{folder,
                 0,
                 0,
                 "",
                 "cannot write here: " + error.message(),
                 "set BITWRIGHT_CACHE_DIR to a folder for RTL models"};
  }
  if (options.progress) {
    options.progress(
        fmt::format("building the RTL model: {} lanes, {}-bit activations, {}-bit "
                    "multiplier",
                    parameters.lanes, parameters.act_bits, parameters.mult_bits));
  }
  const fs::path log = work / "build.log";
  const fs::path fresh = work / name;
  const fs::path runtime = fs::path(folder) / RuntimeFileName(options);
  if (Run(VerilateCommand(parameters, options, work), log) != 0 ||
      !BuildRuntime(options, work, runtime, log) ||
      Run(LinkCommand(parameters, options, work, runtime, fresh), log) != 0) {
    Error failed{SourceDir(options) + "/rtl",
                 0,
                 0,
                 "verilator",
                 "the RTL model does not build:" + LastLines(log, 12),
                 ""};
    fs::remove_all(work, error);
    return failed;
  }
  fs::rename(fresh, library, error);
  const std::string reason = error ? error.message() : "";
  fs::remove_all(work, error);
  if (!reason.empty()) return Error{library.string(), 0, 0, "", "cannot write: " + reason, ""};
  return OkStatus();
}

Result<const BwRtlApi*> LoadModel(const RtlParameters& parameters, const LibraryOptions& options) {
  BW_ASSIGN_OR_RETURN(const std::string name, LibraryFileName(parameters, options));
  std::error_code error;
  fs::path library = fs::path(BW_PREBUILT_DIR) / name;
  if (!fs::exists(library, error)) {
    const std::string cache = CacheDir(options);
    BW_RETURN_IF_ERROR(BuildModel(parameters, options, cache));
    library = fs::path(cache) / name;
  }
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    return Error{library.string(),
                 0,
                 0,
                 "",
                 fmt::format("cannot load: {}", dlerror()),
                 "remove this file; it is built again"};
  }
  auto* get = reinterpret_cast<const BwRtlApi* (*)()>(dlsym(handle, "BwRtlGetApi"));
  if (get == nullptr) {
    return Error{
        library.string(), 0, 0, "", "is not an RTL model", "remove this file; it is built again"};
  }
  return get();
}

}  // namespace bw::rtl_dut
