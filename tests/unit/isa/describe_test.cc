#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "compiler/isa/program.h"
#include "compiler/isa/tables.h"
#include "models/status/file.h"

namespace bw::isa {
namespace {

std::string Committed(const std::string& path) {
  const Result<std::string> text = ReadFile(std::string(BW_SOURCE_DIR) + "/" + path);
  return text.ok() ? *text : "cannot read " + path;
}

TEST(Describe, RegeneratingChangesNothing) {
  EXPECT_TRUE(Committed("compiler/isa/ISA.md") == DescribeIsa())
      << "compiler/isa/ISA.md is not what isa.def gives; run scripts/regen.sh";
  EXPECT_TRUE(Committed("rtl/gen/bw_isa_pkg.sv") == SystemVerilogPackage())
      << "rtl/gen/bw_isa_pkg.sv is not what isa.def gives; run scripts/regen.sh";
}

TEST(Describe, NamesEveryInstructionFieldAndRegister) {
  const std::string text = DescribeIsa();
  for (const OpcodeInfo& info : InstructionTable()) {
    EXPECT_THAT(text, ::testing::HasSubstr("### " + info.mnemonic + "\n"));
  }
  for (const FieldInfo& field : FieldTable()) {
    EXPECT_THAT(text, ::testing::HasSubstr("| `" + std::string(field.name) + "` |"));
  }
  for (const RegisterInfo& row : RegisterTable()) {
    EXPECT_THAT(text, ::testing::HasSubstr("| `" + std::string(row.name) + "` |"));
  }
}

TEST(Describe, NamesInThePackageAreUnique) {
  std::istringstream text(SystemVerilogPackage());
  std::set<std::string> names;
  for (std::string line; std::getline(text, line);) {
    const size_t end = line.find(" = ");
    if (end == std::string::npos) continue;
    const std::string name =
        line.substr(line.rfind(' ', end - 1) + 1, end - 1 - line.rfind(' ', end - 1));
    EXPECT_TRUE(names.insert(name).second) << name;
  }
  EXPECT_GT(names.size(), 200U);
}

}  // namespace
}  // namespace bw::isa
