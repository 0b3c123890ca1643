#include "sim/cosim/isolate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

namespace bw::cosim {
namespace {

using testing::HasSubstr;

TEST(RunIsolated, GivesResultsInOrderWhateverRunsAtOnce) {
  std::vector<IsolatedJob> jobs;
  for (int i = 0; i < 5; ++i) {
    jobs.push_back({"job", [i]() -> Result<Json> {
                      ::usleep(static_cast<useconds_t>(1000 * (5 - i)));
                      return Json{{"number", i}, {"text", std::string(100000, 'x')}};
                    }});
  }
  for (const int at_once : {1, 2, 8}) {
    const auto results = RunIsolated(jobs, at_once);
    ASSERT_EQ(results.size(), 5U);
    for (int i = 0; i < 5; ++i) {
      ASSERT_TRUE(results[static_cast<size_t>(i)].ok());
      EXPECT_EQ((*results[static_cast<size_t>(i)])["number"], i);
    }
  }
}

TEST(RunIsolated, HandsErrorsOver) {
  const Error error{"f", 1, 2, "place", "message", "hint"};
  const auto results = RunIsolated({{"job", [&]() -> Result<Json> { return error; }}}, 1);
  ASSERT_FALSE(results[0].ok());
  EXPECT_EQ(ToString(results[0].errors()), "f:1:2: place: message (hint)\n");
}

TEST(RunIsolated, ACrashIsAnErrorOfThatJobAlone) {
  const auto results = RunIsolated({{"bad", []() -> Result<Json> { ::abort(); }},
                                    {"good", []() -> Result<Json> { return Json(1); }}},
                                   2);
  ASSERT_FALSE(results[0].ok());
  EXPECT_THAT(ToString(results[0].errors()), HasSubstr("bad: stopped by signal 6"));
  EXPECT_TRUE(results[1].ok());
}

TEST(RunIsolated, AnExitWithoutAnAnswerIsAnError) {
  const auto results = RunIsolated({{"job", []() -> Result<Json> { ::_exit(3); }}}, 1);
  ASSERT_FALSE(results[0].ok());
  EXPECT_THAT(ToString(results[0].errors()), HasSubstr("no result"));
}

}  // namespace
}  // namespace bw::cosim
