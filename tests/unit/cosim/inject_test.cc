#include "sim/cosim/inject.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/cosim/small_network.h"

namespace bw::cosim {
namespace {

using testing::HasSubstr;

int64_t Tokens(const isa::Program& program) {
  int64_t tokens = 0;
  for (const isa::Word& word : program.code) {
    const isa::Instruction i = isa::Decode(word).value();
    for (int q = 0; q < isa::kQueues; ++q) tokens += (i.wait >> q & 1) + (i.post >> q & 1);
  }
  return tokens;
}

TEST(Injection, ReadsWhatItPrints) {
  for (const char* text : {"", "drop-token:12", "dma-off-by-one:0", "multiplier-bit:30"}) {
    const auto injection = ParseInjection(text);
    ASSERT_TRUE(injection.ok()) << text;
    EXPECT_EQ(ToString(*injection), text);
  }
}

TEST(Injection, RefusesOthers) {
  for (const char* text : {"drop-token", "drop-token:", "drop-token:x", "rain:1",
                           "multiplier-bit:31", "drop-token:-1", "drop-token:1 "}) {
    const auto injection = ParseInjection(text);
    ASSERT_FALSE(injection.ok()) << text;
    EXPECT_THAT(ToString(injection.errors()), HasSubstr("--inject: ")) << text;
  }
}

TEST(DropToken, TakesOneWaitAndItsPostSoThatTheProgramStaysSound) {
  const isa::Program sound = Compiled(AllKinds());
  isa::Program changed = sound;
  ASSERT_TRUE(DropToken(changed, 20).ok());
  EXPECT_EQ(Tokens(changed), Tokens(sound) - 2);
  const Status verified = isa::VerifyProgram(changed, "changed");
  EXPECT_TRUE(verified.ok()) << ToString(verified.errors());
}

TEST(DropToken, FailsBehindTheLastWait) {
  isa::Program program = Compiled(AllKinds());
  const auto end = static_cast<uint32_t>(program.code.size());
  EXPECT_FALSE(DropToken(program, end).ok());
}

}  // namespace
}  // namespace bw::cosim
