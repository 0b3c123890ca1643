// Writes the files that are made from isa.def, below the folder given: the project's root.
#include <cstdio>
#include <string>

#include "compiler/isa/program.h"
#include "models/status/file.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: bw_isa_gen ROOT\n");
    return 2;
  }
  const std::string root = std::string(argv[1]) + "/";
  for (const auto& [path, text] :
       {std::pair<std::string, std::string>{"compiler/isa/ISA.md", bw::isa::DescribeIsa()},
        {"rtl/gen/bw_isa_pkg.sv", bw::isa::SystemVerilogPackage()}}) {
    const bw::Status written = bw::WriteFile(root + path, text);
    if (!written.ok()) {
      std::fprintf(stderr, "%s", bw::ToString(written.errors()).c_str());
      return 2;
    }
    std::printf("%s\n", path.c_str());
  }
  return 0;
}
