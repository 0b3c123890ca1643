#include "sim/cosim/stop.h"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <mutex>
#include <set>
#include <thread>

namespace bw::cosim {
namespace {

// One for the process, as signals are.
struct StopList {
  std::mutex mutex;
  std::set<std::string> folders;
  std::set<pid_t> children;
};
StopList& List() {
  static StopList* const list = new StopList;  // alive until the process ends
  return *list;
}

[[noreturn]] void Stop(int signal) {
  StopList& list = List();
  list.mutex.lock();  // for good: nothing may be added any more
  for (const pid_t child : list.children) ::kill(child, SIGKILL);
  for (const pid_t child : list.children) ::waitpid(child, nullptr, 0);
  for (const std::string& folder : list.folders) {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  }
  std::fputs("bitwright: stopped; nothing was written\n", stderr);
  ::_exit(128 + signal);
}

}  // namespace

void CleanUpOnSignals() {
  sigset_t signals;
  ::sigemptyset(&signals);
  ::sigaddset(&signals, SIGINT);
  ::sigaddset(&signals, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::thread([signals] {
    int signal = 0;
    while (::sigwait(&signals, &signal) != 0) {
    }
    Stop(signal);
  }).detach();
}

void RemoveFolderOnStop(const std::string& absolute_path) {
  const std::lock_guard<std::mutex> lock(List().mutex);
  List().folders.insert(absolute_path);
}

void ForgetFolder(const std::string& absolute_path, const std::function<void()>& change) {
  const std::lock_guard<std::mutex> lock(List().mutex);
  change();
  List().folders.erase(absolute_path);
}

void KillOnStop(pid_t child) {
  const std::lock_guard<std::mutex> lock(List().mutex);
  List().children.insert(child);
}

void ForgetChild(pid_t child) {
  const std::lock_guard<std::mutex> lock(List().mutex);
  List().children.erase(child);
}

}  // namespace bw::cosim
