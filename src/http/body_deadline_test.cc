// SPDX-License-Identifier: Apache-2.0
#include "http/body_deadline.h"

#include <gtest/gtest.h>

namespace varve::http {
namespace {

using std::chrono::milliseconds;
using Time = BodyDeadline::Time;

constexpr std::size_t kRate = 16384;

class BodyDeadlineTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::int64_t left() const { return deadline_.left(now_).count(); }

  Time now_{milliseconds(5'000'000)};
  BodyDeadline deadline_{milliseconds(20'000), kRate};
};

TEST_F(BodyDeadlineTest, Silence) {
  deadline_.begin(1'000'000, now_);
  EXPECT_EQ(left(), 20'000);
  now_ += milliseconds(19'999);
  deadline_.took(BodyDeadline::kProgressBytes - 1, now_);
  EXPECT_EQ(left(), 1);  // is no progress
  deadline_.took(1, now_);
  EXPECT_EQ(left(), 20'000);
  now_ += milliseconds(20'001);
  EXPECT_EQ(left(), 0);
}

// A piece now and then, never silent: a quarter of the rate.
TEST_F(BodyDeadlineTest, Trickling) {
  deadline_.begin(0, now_);
  int seconds = 0;
  for (; left() > 0 && seconds < 1000; ++seconds) {
    now_ += milliseconds(1000);
    deadline_.took(kRate / 4, now_);
  }
  EXPECT_EQ(seconds, 27);  // 20 s, and a quarter of the time that it took
}

TEST_F(BodyDeadlineTest, ASlowLineThatGoesOn) {
  deadline_.begin(0, now_);
  for (int second = 0; second < 3600; ++second) {
    now_ += milliseconds(1000);
    deadline_.took(kRate, now_);
    ASSERT_EQ(left(), 20'000) << second;
  }
}

TEST_F(BodyDeadlineTest, TheNextBodyBeginsAnew) {
  deadline_.begin(0, now_);
  now_ += milliseconds(30'000);
  EXPECT_EQ(left(), 0);
  deadline_.begin(0, now_);
  EXPECT_EQ(left(), 20'000);
}

}  // namespace
}  // namespace varve::http
