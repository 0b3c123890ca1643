#include "tests/cli/program.h"

#include <sys/resource.h>
#include <sys/wait.h>

#include <chrono>
#include <cstdlib>

#include "models/status/file.h"
#include "tests/unit/cosim/scratch_folder.h"

namespace bw::cli {
namespace {

double ProcessorSecondsOfChildren() {
  rusage usage = {};
  ::getrusage(RUSAGE_CHILDREN, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

Outcome Shell(const std::string& command) {
  const cosim::ScratchFolder scratch;
  const std::string line = "cd '" BW_SOURCE_DIR "' && { " + command + "; } >'" + scratch / "out" +
                           "' 2>'" + scratch / "err" + "'";
  const double before = ProcessorSecondsOfChildren();
  const auto start = std::chrono::steady_clock::now();
  const int state = std::system(line.c_str());
  Outcome outcome;
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  outcome.processor_seconds = ProcessorSecondsOfChildren() - before;
  outcome.status = WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
  outcome.out = ReadFile(scratch / "out").value();
  outcome.err = ReadFile(scratch / "err").value();
  return outcome;
}

Outcome Bitwright(const std::string& arguments) { return Shell("'" BW_PROGRAM "' " + arguments); }

}  // namespace bw::cli
