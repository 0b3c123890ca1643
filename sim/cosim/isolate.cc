#include "sim/cosim/isolate.h"

#include <fmt/format.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <exception>

#include "sim/cosim/stop.h"

namespace bw::cosim {
namespace {

struct Child {
  pid_t pid = -1;
  int answer = -1;  // read end of its pipe
};

Error SystemError(const std::string& name, const char* what) {
  return Error{"", 0, 0, name, fmt::format("{}: {}", what, ::strerror(errno)), ""};
}

void WriteAll(int file, const std::vector<uint8_t>& bytes) {
  for (size_t at = 0; at < bytes.size();) {
    const ssize_t n = ::write(file, bytes.data() + at, bytes.size() - at);
    if (n < 0 && errno != EINTR) return;  // nobody reads any more
    if (n > 0) at += static_cast<size_t>(n);
  }
}

std::vector<uint8_t> ReadAll(int file) {
  std::vector<uint8_t> bytes;
  uint8_t chunk[1 << 16];
  for (;;) {
    const ssize_t n = ::read(file, chunk, sizeof chunk);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return bytes;
    bytes.insert(bytes.end(), chunk, chunk + n);
  }
}

Json Answer(const IsolatedJob& job) {
  try {
    Result<Json> result = job.work();
    if (result.ok()) return Json{{"value", std::move(result).value()}};
    return Json{{"errors", ToJson(result.errors())}};
  } catch (const std::exception& e) {
    return Json{{"errors", ToJson(Errors{Error{"", 0, 0, job.name, e.what(), ""}})}};
  }
}

Result<Child> Start(const IsolatedJob& job) {
  int ends[2];
  if (::pipe(ends) != 0) return SystemError(job.name, "cannot make a pipe");
  std::fflush(nullptr);  // or the child would print it again
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) {
    ::close(ends[0]), ::close(ends[1]);
    return SystemError(job.name, "cannot start a process");
  }
  if (pid == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);
    sigset_t none;
    ::sigemptyset(&none);
    ::pthread_sigmask(SIG_SETMASK, &none, nullptr);
    ::close(ends[0]);
    WriteAll(ends[1], Json::to_cbor(Answer(job)));
    std::fflush(nullptr);
    ::_exit(0);
  }
  KillOnStop(pid);
  ::close(ends[1]);
  return Child{pid, ends[0]};
}

Result<Json> Finish(const IsolatedJob& job, const Child& child) {
  const std::vector<uint8_t> bytes = ReadAll(child.answer);
  ::close(child.answer);
  int state = 0;
  while (::waitpid(child.pid, &state, 0) < 0 && errno == EINTR) {
  }
  ForgetChild(child.pid);
  if (WIFSIGNALED(state)) {
    return Error{
        "",
        0,
        0,
        job.name,
        fmt::format("stopped by signal {} ({})", WTERMSIG(state), ::strsignal(WTERMSIG(state))),
        ""};
  }
  const Json answer = Json::from_cbor(bytes, true, false);
  if (answer.is_discarded()) {
    return Error{"", 0, 0, job.name, fmt::format("ended with status {} and no result", state), ""};
  }
  if (answer.contains("errors")) return ErrorsFromJson(answer["errors"]);
  return answer.at("value");
}

}  // namespace

std::vector<Result<Json>> RunIsolated(const std::vector<IsolatedJob>& jobs, int at_once,
                                      const std::function<void(size_t done)>& progress) {
  std::vector<Result<Json>> results;
  std::vector<Result<Child>> running;  // running[i] is jobs[results.size() + i]
  for (size_t next = 0; results.size() < jobs.size();) {
    while (next < jobs.size() && running.size() < static_cast<size_t>(std::max(at_once, 1))) {
      running.push_back(Start(jobs[next++]));
    }
    const Result<Child> first = running.front();
    running.erase(running.begin());
    const IsolatedJob& job = jobs[results.size()];
    if (first.ok()) {
      results.push_back(Finish(job, *first));
    } else {
      results.push_back(first.errors());
    }
    if (progress) progress(results.size());
  }
  return results;
}

Json ToJson(const Errors& errors) {
  Json json = Json::array();
  for (const Error& e : errors) {
    json.push_back({e.file, e.line, e.column, e.place, e.message, e.hint});
  }
  return json;
}

Errors ErrorsFromJson(const Json& json) {
  Errors errors;
  for (const Json& e : json) {
    errors.push_back(Error{e.at(0), e.at(1), e.at(2), e.at(3), e.at(4), e.at(5)});
  }
  return errors;
}

}  // namespace bw::cosim
