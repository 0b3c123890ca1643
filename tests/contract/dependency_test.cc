// Dependencies between folders point one way, and no executor leans on another one or on the
// golden: read off every #include line and every link line.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace bw::contract {
namespace {

namespace fs = std::filesystem;
using Edges = std::map<std::string, std::set<std::string>>;  // folder -> folders it uses

// Lowest first, as in the top CMakeLists.txt: a folder may use only folders above it in this list.
const std::vector<std::string> kOrder = {"models/status",
                                         "models/arith",
                                         "models/hwconfig",
                                         "models/tensor",
                                         "compiler/graph",
                                         "compiler/isa",
                                         "models/machine",
                                         "models/host",
                                         "models/float_ref",
                                         "models/golden",
                                         "models/iss",
                                         "compiler/frontend/onnx",
                                         "compiler/frontend/tflite",
                                         "compiler/passes",
                                         "compiler/calibrate",
                                         "compiler/lower",
                                         "compiler/schedule",
                                         "compiler/codegen",
                                         "sim/timing",
                                         "sim/ppu",
                                         "rtl",
                                         "sim/rtl_dut",
                                         "sim/sysc",
                                         "sim/cosim",
                                         "sim/report",
                                         "sim/cli"};

// What a folder may reach, directly or through others; folders that are not listed may reach
// everything above them.
const std::map<std::string, std::set<std::string>> kMayReach = {
    {"models/arith", {"models/status"}},
    {"models/hwconfig", {"models/status", "models/arith"}},
    {"models/tensor", {"models/status"}},
    {"compiler/graph", {"models/status", "models/arith", "models/tensor", "models/hwconfig"}},
    {"compiler/isa", {"models/status", "models/arith", "models/hwconfig", "models/tensor"}},
    {"models/machine",
     {"models/status", "models/arith", "models/hwconfig", "models/tensor", "compiler/isa"}},
    // The golden knows no instructions and no machine.
    {"models/golden",
     {"models/status", "models/arith", "models/hwconfig", "models/tensor", "compiler/graph"}},
    // The executors know neither the graph nor the golden nor each other.
    {"models/iss",
     {"models/status", "models/arith", "models/hwconfig", "models/tensor", "compiler/isa",
      "models/machine", "models/host"}},
    {"sim/timing",
     {"models/status", "models/arith", "models/hwconfig", "models/tensor", "compiler/isa"}},
    {"sim/ppu",
     {"models/status", "models/arith", "models/hwconfig", "models/tensor", "compiler/isa",
      "sim/timing"}},
    {"sim/rtl_dut",
     {"models/status", "models/arith", "models/hwconfig", "models/tensor", "compiler/isa",
      "sim/timing", "sim/ppu", "rtl"}},
    {"sim/sysc",
     {"models/status", "models/arith", "models/hwconfig", "models/tensor", "compiler/isa",
      "models/machine", "models/host", "sim/timing", "sim/ppu"}},
};

std::string ReadText(const fs::path& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// The folder of kOrder that `path` lies in, or nothing.
std::string FolderOf(const std::string& path) {
  std::string best;
  for (const std::string& folder : kOrder) {
    const bool inside = path.compare(0, folder.size() + 1, folder + "/") == 0;
    if (inside && folder.size() > best.size()) best = folder;
  }
  return best;
}

// Edges of the quoted includes of one source of `folder`.
void AddIncludes(const std::string& text, const std::string& folder, Edges& edges) {
  static const std::regex kInclude("#[ \\t]*include[ \\t]*\"([^\"]+)\"");
  for (auto at = std::sregex_iterator(text.begin(), text.end(), kInclude);
       at != std::sregex_iterator(); ++at) {
    const std::string used = FolderOf((*at)[1]);
    if (!used.empty() && used != folder) edges[folder].insert(used);
  }
}

// Names of the libraries that a CMakeLists.txt declares and uses.
std::vector<std::string> Captures(const std::string& text, const std::regex& pattern) {
  std::vector<std::string> found;
  for (auto at = std::sregex_iterator(text.begin(), text.end(), pattern);
       at != std::sregex_iterator(); ++at) {
    found.push_back((*at)[1]);
  }
  return found;
}

struct Project {
  Edges edges;
  std::vector<std::string> homeless;  // sources outside every folder of kOrder
  size_t sources = 0, links = 0;
};

Project Scan(const fs::path& root) {
  static const std::regex kDeclared("bw_library\\(\\s*(\\w+)"), kUsed("bw::(\\w+)");
  Project project;
  std::map<std::string, std::string> home_of_library;
  std::map<std::string, std::string> lists;  // folder -> its CMakeLists.txt
  for (const char* top : {"models", "compiler", "sim", "rtl"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / top)) {
      if (!entry.is_regular_file()) continue;
      const std::string path = fs::relative(entry.path(), root).generic_string();
      const std::string extension = entry.path().extension().string();
      const bool source = extension == ".h" || extension == ".cc";
      if (!source && entry.path().filename() != "CMakeLists.txt") continue;
      const std::string folder = FolderOf(path);
      if (folder.empty()) {
        project.homeless.push_back(path);
        continue;
      }
      const std::string text = ReadText(entry.path());
      if (source) {
        ++project.sources;
        AddIncludes(text, folder, project.edges);
        continue;
      }
      lists[folder] += text;
      for (const std::string& name : Captures(text, kDeclared)) home_of_library[name] = folder;
    }
  }
  for (const auto& [folder, text] : lists) {
    for (const std::string& name : Captures(text, kUsed)) {
      const auto home = home_of_library.find(name);
      if (home == home_of_library.end() || home->second == folder) continue;
      project.edges[folder].insert(home->second);
      ++project.links;
    }
  }
  return project;
}

size_t Level(const std::string& folder) {
  return static_cast<size_t>(std::find(kOrder.begin(), kOrder.end(), folder) - kOrder.begin());
}

// Everything that `from` uses, directly or not, each with a way to it.
std::map<std::string, std::string> Reach(const Edges& edges, const std::string& from) {
  std::map<std::string, std::string> way = {{from, from}};
  std::vector<std::string> open = {from};
  while (!open.empty()) {
    const std::string at = open.back();
    open.pop_back();
    const auto uses = edges.find(at);
    if (uses == edges.end()) continue;
    for (const std::string& next : uses->second) {
      if (way.emplace(next, way[at] + " -> " + next).second) open.push_back(next);
    }
  }
  way.erase(from);
  return way;
}

std::vector<std::string> Violations(const Edges& edges) {
  std::vector<std::string> found;
  for (const auto& [folder, uses] : edges) {
    for (const std::string& used : uses) {
      if (Level(used) > Level(folder)) found.push_back(folder + " uses " + used + " below it");
    }
  }
  for (const auto& [folder, allowed] : kMayReach) {
    for (const auto& [reached, way] : Reach(edges, folder)) {
      if (allowed.count(reached) == 0)
        found.push_back(folder + " must not reach " + reached + ": " + way);
    }
  }
  return found;
}

TEST(Dependencies, PointOneWay) {
  const Project project = Scan(BW_SOURCE_DIR);
  EXPECT_GT(project.sources, 100U);
  EXPECT_GT(project.links, 30U);
  for (const std::string& violation : Violations(project.edges)) ADD_FAILURE() << violation;
  for (const std::string& path : project.homeless) {
    ADD_FAILURE() << path << " is in no folder of the list in this test";
  }
}

TEST(Dependencies, TheTableNamesFoldersOfTheOrder) {
  for (const auto& [folder, allowed] : kMayReach) {
    EXPECT_LT(Level(folder), kOrder.size()) << folder;
    for (const std::string& used : allowed) {
      EXPECT_LT(Level(used), Level(folder)) << folder << " may not reach " << used;
    }
  }
}

TEST(Dependencies, TheCheckFindsWhatIsForbidden) {
  Edges edges;
  AddIncludes("#include <map>\n# include \"models/golden/executor.h\"\n", "models/iss", edges);
  EXPECT_EQ(Violations(edges), std::vector<std::string>{"models/iss must not reach models/golden: "
                                                        "models/iss -> models/golden"});
  // Through a folder between.
  edges = {{"sim/sysc", {"models/host"}}, {"models/host", {"compiler/graph"}}};
  EXPECT_EQ(Violations(edges),
            std::vector<std::string>{"sim/sysc must not reach compiler/graph: sim/sysc -> "
                                     "models/host -> compiler/graph"});
  edges = {{"compiler/lower", {"sim/cli"}}};
  EXPECT_EQ(Violations(edges), std::vector<std::string>{"compiler/lower uses sim/cli below it"});
}

}  // namespace
}  // namespace bw::contract
