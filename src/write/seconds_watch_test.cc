// SPDX-License-Identifier: Apache-2.0
#include "write/seconds_watch.h"

#include <gtest/gtest.h>

#include <string>

#include "model/kept_group.h"

namespace varve::write {
namespace {

constexpr std::int64_t kSentMs = 1'700'000'000'000;

struct Watched {
  ManualClock clock{kSentMs};
  Metrics metrics;
  SecondsWatch watch{&clock, &metrics};

  // What was said.
  std::string look(std::int64_t time) {
    const model::KeptGroup group{model::GroupId{0}, 1};
    model::RowBatch batch;
    batch.add(group, time, model::Value::of_long(1));
    batch.add(group, kSentMs, model::Value::of_long(1));
    ::testing::internal::CaptureStderr();
    watch.look("team", "influx", batch);
    return ::testing::internal::GetCapturedStderr();
  }
  [[nodiscard]] double counted() const {
    for (const auto& sample : metrics.samples()) {
      if (sample.name == "varve_samples_of_1970_total") return sample.value;
    }
    return -1;
  }
};

TEST(SecondsWatch, counts_what_would_be_of_the_last_years) {
  const std::int64_t now_s = kSentMs / 1000, year_s = 365 * 86'400;
  struct Case {
    std::int64_t time;
    bool is_noticed;
  };
  for (const auto& [time, is_noticed] : {Case{now_s, true},
                                         {now_s - 10 * year_s, true},
                                         {now_s - 10 * year_s - 1, false},
                                         {now_s + 86'400, true},
                                         {now_s + 86'401, false},
                                         {kSentMs, false},
                                         {0, false},
                                         {-now_s, false},
                                         {model::kTimestampMin, false},
                                         {model::kTimestampMax, false}}) {
    Watched w;
    EXPECT_NE(w.look(time).empty(), is_noticed) << time;
    EXPECT_EQ(w.counted(), is_noticed ? 2 : 0) << time;
  }
}

TEST(SecondsWatch, says_it_once_a_minute_with_all_since) {
  Watched w;
  const std::string first = w.look(kSentMs / 1000);
  EXPECT_NE(first.find("tenant=team protocol=influx time=1700000000 samples=2"), std::string::npos) << first;
  EXPECT_EQ(w.look(kSentMs / 1000), "");
  w.clock.advance_ms(59'999);
  EXPECT_EQ(w.look(kSentMs / 1000), "");
  w.clock.advance_ms(1);
  const std::string next = w.look(kSentMs / 1000);
  EXPECT_NE(next.find("samples=6"), std::string::npos) << next;
  EXPECT_EQ(w.counted(), 8);
}

TEST(SecondsWatch, without_a_clock_it_is_silent) {
  SecondsWatch watch(nullptr, nullptr);
  model::RowBatch batch;
  watch.look("t", "influx", batch);
}

}  // namespace
}  // namespace varve::write
