// build_rtl_models FOLDER CONFIG.yaml...: builds the RTL model of each config into FOLDER.
#include <cstdio>

#include "models/hwconfig/hw_config.h"
#include "sim/rtl_dut/model_library.h"

namespace {

bw::Status Build(const std::string& folder, const std::string& config_path) {
  BW_ASSIGN_OR_RETURN(const bw::hwconfig::HwConfig config, bw::hwconfig::LoadHwConfig(config_path));
  return bw::rtl_dut::BuildModel(bw::rtl_dut::ParametersFor(config), {}, folder);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: build_rtl_models FOLDER CONFIG.yaml...\n");
    return 2;
  }
  for (int i = 2; i < argc; ++i) {
    const bw::Status status = Build(argv[1], argv[i]);
    if (!status.ok()) {
      std::fputs(bw::ToString(status.errors()).c_str(), stderr);
      return 2;
    }
  }
  return 0;
}
