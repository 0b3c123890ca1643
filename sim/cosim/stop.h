// What has to go when the process is told to stop.
#ifndef SIM_COSIM_STOP_H_
#define SIM_COSIM_STOP_H_

#include <sys/types.h>

#include <functional>
#include <string>

namespace bw::cosim {

// From now on SIGINT and SIGTERM end the child processes and remove the folders named below, then
// end this process with status 130 or 143. Call it once, before any other thread is started.
void CleanUpOnSignals();

void RemoveFolderOnStop(const std::string& absolute_path);
// Runs `change` (which may rename or remove the folder) while no signal is served, then forgets it.
void ForgetFolder(const std::string& absolute_path, const std::function<void()>& change);

void KillOnStop(pid_t child);
void ForgetChild(pid_t child);

}  // namespace bw::cosim

#endif  // SIM_COSIM_STOP_H_
