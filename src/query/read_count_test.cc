// SPDX-License-Identifier: Apache-2.0
#include "query/read_count.h"

#include <gtest/gtest.h>

#include <thread>

namespace varve::query {
namespace {

constexpr std::int64_t kMinute = 60'000;

TEST(Read, Texts) {
  EXPECT_EQ(text_of(Read{}), "ms=0.000");
  EXPECT_EQ(text_of({2, 1200, 3, {{5 * kMinute, 288}, {60 * kMinute, 24}}, 12'034}),
            "series=2, samples=1200, chunks=3, 5m=288, 1h=24, ms=12.034");
  EXPECT_EQ(width_text(1), "1ms");
  EXPECT_EQ(width_text(1000), "1s");
  EXPECT_EQ(width_text(90 * kMinute), "90m");
  EXPECT_EQ(width_text(36 * 60 * kMinute), "36h");
  EXPECT_EQ(width_text(48 * 60 * kMinute), "2d");
}

TEST(Read, Adds) {
  Read read{1, 2, 3, {{kMinute, 4}}, 5};
  read.add({10, 20, 30, {{1000, 1}, {kMinute, 40}, {2 * kMinute, 2}}, 50});
  EXPECT_EQ(text_of(read), "series=11, samples=22, chunks=33, 1s=1, 1m=44, 2m=2, ms=0.055");
  EXPECT_EQ(read.windows_in_all(), 47U);
}

TEST(ReadCount, ManyThreadsAndWidths) {
  ReadCount count;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&count] {
      for (std::int64_t i = 0; i < 10'000; ++i) {
        count.windows((i % 5 + 1) * kMinute, 1);
        count.samples(2);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  const Read read = count.so_far();
  EXPECT_EQ(read.samples, 80'000U);
  ASSERT_EQ(read.windows.size(), 5U);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(read.windows[i].first, static_cast<std::int64_t>(i + 1) * kMinute);
    EXPECT_EQ(read.windows[i].second, 8'000U);
  }
}

TEST(ReadCount, MoreWidthsThanPlacesShareTheLast) {
  ReadCount count;
  for (std::int64_t width = 1; width <= 100; ++width) count.windows(width, 1);
  EXPECT_EQ(count.so_far().windows_in_all(), 100U);
}

}  // namespace
}  // namespace varve::query
