// Output folders that appear whole or not at all.
#ifndef SIM_COSIM_FOLDERS_H_
#define SIM_COSIM_FOLDERS_H_

#include <string>
#include <vector>

#include "models/status/result.h"

namespace bw::cosim {

// The folder and all above it.
Status MakeFolders(const std::string& path);

// A folder under construction, in a temporary place beside its own. Unless Commit succeeded,
// nothing of it is left when this object goes, or when the process is told to stop (stop.h).
class OutputFolder {
 public:
  OutputFolder() = default;
  ~OutputFolder();
  OutputFolder(OutputFolder&& other) noexcept;
  OutputFolder& operator=(OutputFolder&&) = delete;

  // Errors, at `option`: no permission, a file in the way, a folder that holds something other than
  // an earlier result of bitwright (one with a report.json or exec.json) and so would be lost.
  static Result<OutputFolder> Create(const std::string& path, const std::string& option);

  // Where to write.
  const std::string& temporary() const { return temporary_; }
  const std::string& path() const { return path_; }
  // Puts it in its place; an earlier result there goes.
  Status Commit();

 private:
  void Discard();
  std::string path_, temporary_;
  std::vector<std::string> made_;  // parents that were not there, outermost first
};

}  // namespace bw::cosim

#endif  // SIM_COSIM_FOLDERS_H_
