// SPDX-License-Identifier: Apache-2.0
// Percentiles of more values than may be kept: the series are scanned again, and the answer is the same.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "aggregate/points_text.h"
#include "query/engine.h"
#include "query/testing/engine_fixture.h"

namespace varve::query {
namespace {

class PassesTest : public testing::EngineTest {
 protected:
  PassesTest() {
    std::mt19937_64 random(3);
    for (int host = 0; host < 12; ++host) {
      const model::TagViews tags = {{"dc", host % 3 == 0 ? "a" : "b"},
                                    {"host", std::string_view("abcdefghijkl").substr(host, 1)}};
      for (int i = 0; i < 3'000; ++i) {
        const double value = host * 100 + static_cast<double>(random() % 1'000) / 8;
        const bool is_long = i / 100 % 2 == 0;
        store_.put("t", "m", tags, i * 300,
                   is_long ? model::Value::of_long(static_cast<std::int64_t>(value))
                           : model::Value::of_double(i % 50 == 0 ? NAN : value));
        if (i % 1'000 == 0) store_.put("t", "m", tags, i * 300 + 1, model::Value::of_string("text"));
      }
    }
  }

  static Request percentile(double fraction, std::int64_t seconds, TagKeys by = {}) {
    Request out = request({});
    aggregate::Percentile step;
    step.fraction = fraction;
    step.sampling = {seconds, model::TimeUnit::seconds};
    out.metrics[0].pipeline().stages = {step};
    out.metrics[0].pipeline().group_by = std::move(by);
    return out;
  }

  std::string answer(const Request& request, std::size_t kept_bytes) {
    const auto found = Engine(store_, store_, clock_, {.threads = 2, .slice_bytes = kept_bytes}).run(request, nullptr);
    if (!found) return found.error().message;
    std::string out;
    for (const MetricAnswer& metric : found->metrics) {
      out += std::to_string(metric.sample_size) + "\n";
      for (const Group& group : metric.groups) {
        for (const std::string& value : group.group_values) out += value + " ";
        out += aggregate::text_of(group.points) + "\n";
      }
    }
    return out;
  }
};

TEST_F(PassesTest, TheAnswerIsTheSame) {
  for (const double fraction : {0.5, 0.95, 0.999}) {
    for (const std::int64_t seconds : {1, 7, 10'000}) {
      for (const TagKeys& by : {TagKeys{}, TagKeys{"dc"}, TagKeys{"host"}}) {
        const Request asked = percentile(fraction, seconds, by);
        const std::string whole = answer(asked, 1 << 30);
        ASSERT_GT(whole.size(), 20U);
        EXPECT_EQ(answer(asked, 0), whole) << fraction << " " << seconds;
        EXPECT_EQ(answer(asked, 20'000), whole) << fraction << " " << seconds;
      }
    }
  }
}

TEST_F(PassesTest, MetricsThatAreReadTogether) {
  store_.put("t", "n", {{"host", "a"}}, 0, model::Value::of_long(7));
  Request asked = percentile(0.9, 10'000);
  asked.metrics.push_back(asked.metrics[0]);
  asked.metrics[1].metric = "n";
  asked.metrics.push_back(request(testing::stage_of(aggregate::Function::sum, 1, model::TimeUnit::hours)).metrics[0]);
  EXPECT_EQ(answer(asked, 0), answer(asked, 1 << 30));
}

// 36,000 values are 288,000 bytes.
TEST_F(PassesTest, LittleIsHeld) {
  const Request asked = percentile(0.95, 10'000);
  const auto memory_of = [&](std::size_t kept_bytes, std::size_t most) {
    return Engine(store_, store_, clock_, {.memory_bytes = most, .threads = 2, .slice_bytes = kept_bytes})
        .run(asked, nullptr)
        .has_value();
  };
  EXPECT_FALSE(memory_of(1 << 30, 200'000));
  EXPECT_TRUE(memory_of(10'000, 60'000));
}

// What cannot have the value is not decoded again.
TEST_F(PassesTest, StatisticsOfChunksAreEnoughToSkipThem) {
  const auto before = store_.stats_given();
  EXPECT_EQ(answer(percentile(0.99, 10'000), 1 << 30).empty(), false);
  EXPECT_EQ(store_.stats_given(), before);
  EXPECT_EQ(answer(percentile(0.99, 10'000), 10'000).empty(), false);
  EXPECT_GT(store_.stats_given(), before + 5'000);
}

TEST_F(PassesTest, AnErrorOfALaterScanIsTold) {
  store_.fail_after(1);
  EXPECT_EQ(answer(percentile(0.95, 10'000), 10'000), "the disk is gone");
}

}  // namespace
}  // namespace varve::query
