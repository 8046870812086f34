// SPDX-License-Identifier: Apache-2.0
#include "write/refusals.h"

#include <gtest/gtest.h>

namespace varve::write {
namespace {

class RefusalsTest : public ::testing::Test {
 protected:
  // What the log says meanwhile, without times.
  template <class Work>
  static std::string logged(const Work& work) {
    ::testing::internal::CaptureStderr();
    work();
    std::string out;
    const std::string all = ::testing::internal::GetCapturedStderr();
    for (std::size_t at = 0; at < all.size(); at = all.find('\n', at) + 1) {
      const std::size_t level = all.find("level=", at);
      out += all.substr(level, all.find('\n', at) + 1 - level);
    }
    return out;
  }
  // So many seconds pass, and somebody looks now and then.
  std::string logged_in(int seconds) {
    return logged([&] {
      for (int i = 0; i < seconds; ++i) {
        clock_.advance_ms(1000);
        refusals_.look();
      }
    });
  }
  std::string refuse(std::size_t bytes, const char* why = "disk full") {
    return logged([&] { refusals_.note(fail(Code::unavailable, why), bytes); });
  }
  void take(std::size_t bytes) { refusals_.note({}, bytes); }

  ManualClock clock_;
  Refusals refusals_{clock_};
};

TEST_F(RefusalsTest, OneLineWhenItBeginsAndOneWhenTheyGoOn) {
  EXPECT_EQ(refuse(100), "level=warn msg=\"writes are refused\" reason=\"disk full\"\n");
  EXPECT_EQ(refusals_.told(), "writes are refused: disk full");
  clock_.advance_ms(2000);
  EXPECT_EQ(refuse(100), "");
  EXPECT_EQ(logged_in(100), "") << "nobody wrote";
  take(100);
  EXPECT_EQ(logged_in(1), "level=info msg=\"writes go on again\" reason=\"disk full\" refused=2 seconds=2.000000\n");
  EXPECT_EQ(refusals_.told(), "");
  EXPECT_EQ(logged_in(100), "");
  EXPECT_NE(refuse(100), "") << "it begins again";
}

TEST_F(RefusalsTest, ASmallWriteThatIsTakenDoesNotEndIt) {
  EXPECT_NE(refuse(100), "");
  for (int i = 0; i < 10; ++i) {
    take(10);
    EXPECT_EQ(logged_in(9), "");
    EXPECT_EQ(refuse(100), "");
  }
  take(10);
  EXPECT_EQ(logged_in(59), "");
  EXPECT_NE(refusals_.told(), "");
  EXPECT_NE(logged_in(1), "") << "nobody came with a large one";
}

TEST_F(RefusalsTest, ALargeOneDoesAfterAWhile) {
  EXPECT_NE(refuse(100), "");
  take(100);
  EXPECT_EQ(logged_in(9), "") << "where some are refused and some are not it is not over";
  EXPECT_NE(logged_in(1), "");
}

TEST_F(RefusalsTest, TheLastReasonIsTold) {
  EXPECT_NE(refuse(100, "overloaded"), "");
  EXPECT_EQ(refuse(100, "disk full"), "");
  EXPECT_EQ(refusals_.told(), "writes are refused: disk full");
}

TEST_F(RefusalsTest, WhatIsTheSendersFaultIsNone) {
  for (const Code code : {Code::invalid, Code::limit, Code::too_old, Code::conflict, Code::too_large}) {
    refusals_.note(fail(code, "yours"), 1);
    EXPECT_EQ(refusals_.told(), "");
  }
}

TEST_F(RefusalsTest, AtTheStopItIsNoNews) {
  refusals_.stop();
  EXPECT_EQ(refuse(100, "the store is closed"), "");
}

}  // namespace
}  // namespace varve::write
