#include "sim/cosim/bundle.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "models/hwconfig/hw_config.h"
#include "models/status/file.h"
#include "models/tensor/npy.h"
#include "models/tensor/tensor_file.h"
#include "sim/cosim/explain.h"
#include "sim/cosim/folders.h"
#include "sim/cosim/machines.h"
#include "sim/cosim/network_io.h"
#include "sim/cosim/probe_collector.h"

namespace bw::cosim {
namespace {

using golden::IntTensor;

tensor::Tensor AsTensor(const IntTensor& values) {
  return tensor::Tensor::From<int32_t>(values.shape, values.data);
}

Result<IntTensor> ReadInts(const std::string& path, const tensor::Shape& shape) {
  BW_ASSIGN_OR_RETURN(const tensor::Tensor found, tensor::ReadTensorFile(path));
  if (found.dtype() != tensor::DType::kI32 || found.shape() != shape) {
    return Error{
        path,
        0,
        0,
        "",
        fmt::format("holds {} of {}, the program takes int32 of {}", found.shape().ToString(),
                    tensor::DTypeName(found.dtype()), shape.ToString()),
        ""};
  }
  const int32_t* data = found.data<int32_t>();
  return IntTensor(shape, std::vector<int32_t>(data, data + found.elements()));
}

Json ToJson(const Bundle& bundle) {
  Json json;
  json["executor"] = bundle.executor;
  json["inject"] = ToString(bundle.injection);
  json["sample"] = bundle.sample;
  json["error"] = bundle.error.empty() ? Json(nullptr) : Json(bundle.error);
  json["mismatch"] = bundle.mismatch;
  return json;
}

Error FileError(const std::string& path, std::string message) {
  return Error{path, 0, 0, "", std::move(message), "is this a failure bundle?"};
}

// mismatch.json; its fields are checked here, so that a damaged file cannot do harm.
Status ReadDescription(const std::string& path, const isa::Program& program, Bundle* bundle) {
  BW_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded() || !json.is_object()) return FileError(path, "is not JSON");
  try {
    bundle->executor = json.at("executor").get<std::string>();
    const std::vector<std::string> known = MachineNames();
    if (std::find(known.begin(), known.end(), bundle->executor) == known.end()) {
      return FileError(path, fmt::format("names the executor '{}'", bundle->executor));
    }
    BW_ASSIGN_OR_RETURN(bundle->injection, ParseInjection(json.at("inject").get<std::string>()));
    bundle->sample = json.at("sample").get<size_t>();
    if (!json.at("error").is_null()) bundle->error = json["error"].get<std::string>();
    bundle->mismatch = json.at("mismatch");
    if (bundle->mismatch.is_null()) return OkStatus();
    bundle->mismatch.at("layer").get<std::string>();
    const bool in_output = bundle->mismatch.value("output_index", -1) >= 0;
    if (bundle->mismatch.at("layer_index").get<size_t>() >= program.layers.size() ||
        (in_output && bundle->mismatch["output_index"].get<size_t>() >= program.outputs.size())) {
      return FileError(path, "names a layer or output that the program does not have");
    }
  } catch (const Json::exception& e) {
    return FileError(path, e.what());
  }
  return OkStatus();
}

// What the layer holds now, against expected.npy.
ReplayOutcome Compare(const LoadedBundle& loaded, const IntTensor& got) {
  const Json& mismatch = loaded.bundle.mismatch;
  const IntTensor& want = loaded.bundle.expected;
  const std::string layer = mismatch.at("layer").get<std::string>();
  int64_t differing = 0, first = -1;
  for (size_t i = 0; i < got.data.size(); ++i) {
    if (got.data[i] == want.data[i]) continue;
    ++differing;
    if (first < 0) first = static_cast<int64_t>(i);
  }
  if (differing == 0) {
    return {false, fmt::format("{}: layer {} agrees, {} elements compared", loaded.bundle.executor,
                               layer, got.elements())};
  }
  const auto at = static_cast<size_t>(first);
  return {true,
          fmt::format("{}: layer {} differs in {} of {} elements; first at {}: expected {}, got {}",
                      loaded.bundle.executor, layer, differing, got.elements(),
                      Json(Coordinates(want.shape, first)).dump(), want.data[at], got.data[at])};
}

}  // namespace

Status WriteBundle(const std::string& folder, const Bundle& bundle, const isa::Program& program) {
  BW_RETURN_IF_ERROR(MakeFolders(folder));
  BW_RETURN_IF_ERROR(WriteFile(folder + "/config.yaml", hwconfig::ToYaml(program.config)));
  BW_RETURN_IF_ERROR(isa::WriteProgram(program, folder + "/program.bwp"));
  for (size_t i = 0; i < bundle.inputs.size(); ++i) {
    BW_RETURN_IF_ERROR(
        tensor::WriteNpy(fmt::format("{}/input_{}.npy", folder, i), AsTensor(bundle.inputs[i])));
  }
  if (!bundle.mismatch.is_null()) {
    BW_RETURN_IF_ERROR(tensor::WriteNpy(folder + "/expected.npy", AsTensor(bundle.expected)));
    BW_RETURN_IF_ERROR(tensor::WriteNpy(folder + "/got.npy", AsTensor(bundle.got)));
  }
  return WriteFile(folder + "/mismatch.json", ToJson(bundle).dump(1) + "\n");
}

Result<LoadedBundle> ReadBundle(const std::string& folder) {
  LoadedBundle loaded;
  BW_ASSIGN_OR_RETURN(loaded.program, isa::ReadProgram(folder + "/program.bwp"));
  BW_RETURN_IF_ERROR(ReadDescription(folder + "/mismatch.json", loaded.program, &loaded.bundle));
  for (size_t i = 0; i < loaded.program.inputs.size(); ++i) {
    BW_ASSIGN_OR_RETURN(IntTensor input, ReadInts(fmt::format("{}/input_{}.npy", folder, i),
                                                  loaded.program.inputs[i].shape));
    loaded.bundle.inputs.push_back(std::move(input));
  }
  if (!loaded.bundle.mismatch.is_null()) {
    const size_t layer = loaded.bundle.mismatch["layer_index"].get<size_t>();
    const tensor::Shape& shape = loaded.program.layers[layer].shape;
    BW_ASSIGN_OR_RETURN(loaded.bundle.expected, ReadInts(folder + "/expected.npy", shape));
    BW_ASSIGN_OR_RETURN(loaded.bundle.got, ReadInts(folder + "/got.npy", shape));
  }
  return loaded;
}

Result<ReplayOutcome> Replay(const std::string& folder, const std::string& wave) {
  BW_ASSIGN_OR_RETURN(const LoadedBundle loaded, ReadBundle(folder));
  const Bundle& bundle = loaded.bundle;
  isa::Program program = loaded.program;
  if (bundle.injection.fault == Fault::kDropToken) {
    BW_RETURN_IF_ERROR(DropToken(program, bundle.injection.at));
  }
  MachineOptions options;
  options.injection = bundle.injection;
  options.wave = wave;
  BW_ASSIGN_OR_RETURN(Machine machine, MakeMachine(bundle.executor, program.config, options));
  BW_RETURN_IF_ERROR(machine.executor->Load(program));
  for (size_t i = 0; i < bundle.inputs.size(); ++i) {
    WriteToDram(program.inputs[i], bundle.inputs[i], machine.executor->dram());
  }
  ProbeCollector probes(program);
  Status ran = machine.executor->Run(&probes);
  if (ran.ok() && machine.check) ran = machine.check();
  if (!ran.ok()) return ReplayOutcome{true, bundle.executor + ": " + ToString(ran.errors())};
  if (bundle.mismatch.is_null()) {
    return ReplayOutcome{false, bundle.executor + ": the run ends without an error"};
  }
  if (!bundle.mismatch.contains("output_index")) {
    const size_t layer = bundle.mismatch["layer_index"].get<size_t>();
    return Compare(loaded, IntTensor(bundle.expected.shape, probes.layer(layer)));
  }
  const size_t output = bundle.mismatch["output_index"].get<size_t>();
  return Compare(loaded, ReadFromDram(program.outputs.at(output), machine.executor->dram()));
}

}  // namespace bw::cosim
