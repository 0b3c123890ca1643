// A folder of the test's own, removed at its end.
#ifndef TESTS_UNIT_COSIM_SCRATCH_FOLDER_H_
#define TESTS_UNIT_COSIM_SCRATCH_FOLDER_H_

#include <stdlib.h>

#include <filesystem>
#include <string>

namespace bw::cosim {

class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "bitwright-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~ScratchFolder() { std::filesystem::remove_all(path_); }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace bw::cosim

#endif  // TESTS_UNIT_COSIM_SCRATCH_FOLDER_H_
