// Runs the program as a user does.
#ifndef TESTS_CLI_PROGRAM_H_
#define TESTS_CLI_PROGRAM_H_

#include <string>

namespace bw::cli {

struct Outcome {
  int status = -1;  // exit status; 128 + signal when a signal ended it
  std::string out, err;
  double seconds = 0;            // by the clock
  double processor_seconds = 0;  // of the program, user and system
};

// `arguments` as in a shell, run in the project's folder.
Outcome Bitwright(const std::string& arguments);
// Any shell command, there too.
Outcome Shell(const std::string& command);

// The demo network with its images, as arguments.
inline constexpr char kDemo[] =
    "models/zoo/fashion_se.onnx --input models/zoo/fashion_se_images.npy "
    "--labels models/zoo/fashion_se_labels.npy ";

}  // namespace bw::cli

#endif  // TESTS_CLI_PROGRAM_H_
