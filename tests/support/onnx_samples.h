// Small .onnx files that together use every operator that the importer reads: seeds for fuzzing,
// and what tests damage.
#ifndef TESTS_SUPPORT_ONNX_SAMPLES_H_
#define TESTS_SUPPORT_ONNX_SAMPLES_H_

#include <map>
#include <string>

namespace bw::testing {

// Bytes by a name that is good for a file. All of them can be imported and canonicalised.
std::map<std::string, std::string> OnnxSamples();

}  // namespace bw::testing

#endif  // TESTS_SUPPORT_ONNX_SAMPLES_H_
