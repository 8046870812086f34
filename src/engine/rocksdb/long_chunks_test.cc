// SPDX-License-Identifier: Apache-2.0
// Runs of a stratum whose chunks are long are not merged again, unless there are many of them or somebody settles.
#include <gtest/gtest.h>

#include <semaphore>

#include "engine/rocksdb/testing/strata_store.h"

namespace varve::engine::rocksdb {
namespace {

using model::Timestamp;
using model::Value;
using testing::kDay;
using testing::kHour;
using testing::kMinute;
using testing::kStart;

constexpr std::int64_t kSecond = 1000;
constexpr std::int64_t kLong = 2048 * kSecond;  // of samples by the second

class LongChunks : public testing::StrataStore {
 protected:
  LongChunks() {
    *hook = [this](std::string_view step) {
      if (step == "merge.published") merged_.release();
      return Status{};
    };
  }
  // Samples by the second, as a run of their own.
  void put_seconds(Timestamp from, Timestamp to, double value) {
    model::RowBatch batch;
    for (Timestamp t = from; t < to; t += kSecond) {
      samples[t] = value + static_cast<double>(t / kSecond % 100);
      batch.add(group->line, t, std::vector{Value::of_double(samples[t])});
    }
    ASSERT_TRUE(store.append(batch));
    flush();
  }
  // A day of which two runs are to be merged: when they are, others have had their turn.
  void wait_for_merge() {
    const Timestamp other = kStart + 3 * kDay;
    for (int i = 0; i < 2; ++i) {
      put_minutes(other, other + 6 * kHour);
      flush();
    }
    clock.advance_ms(31'000);
    while (fragments(other) != 1) merged_.acquire();
  }
  std::size_t fragments(Timestamp start) {
    for (const auto& slot : slots()) {
      if (slot.start == start) return slot.fragments;
    }
    return 0;
  }

 private:
  std::counting_semaphore<> merged_{0};
};

TEST_F(LongChunks, StayAsTheyAre) {
  put_seconds(kStart, kStart + 12 * kHour, 1);
  put_seconds(kStart + 12 * kHour, kStart + kDay, 2);
  ASSERT_EQ(strata(), 1U);
  wait_for_merge();
  EXPECT_EQ(fragments(kStart), 2U);
  check_all();
  settle();
  EXPECT_EQ(fragments(kStart), 1U);
  check_all();
}

TEST_F(LongChunks, HoldTheLaterValueThoughTheyOverlap) {
  put_seconds(kStart, kStart + 12 * kHour, 1);
  put_seconds(kStart + 6 * kHour, kStart + 18 * kHour, 1000);
  wait_for_merge();
  EXPECT_EQ(fragments(kStart), 2U);
  check_all();
  settle();
  check_all();
}

TEST_F(LongChunks, WhatIsShortAndLaterIsMergedAmongItself) {
  put_seconds(kStart, kStart + 12 * kHour, 1);
  put_seconds(kStart + 12 * kHour, kStart + 20 * kHour, 2);
  for (int i = 0; i < 3; ++i) put_seconds(kStart + i * 7 * kHour, kStart + i * 7 * kHour + kLong - kSecond, 100 + i);
  ASSERT_EQ(fragments(kStart), 5U);
  wait_for_merge();
  EXPECT_EQ(fragments(kStart), 3U);
  check_all();
  settle();
  check_all();
}

TEST_F(LongChunks, AreMergedWhenThereAreMany) {
  put_seconds(kStart, kStart + 6 * kHour, 0);  // a stratum
  for (int i = 1; i < 16; ++i) put_seconds(kStart + i * kLong, kStart + (i + 1) * kLong, i);
  ASSERT_EQ(strata(), 1U);
  wait_for_merge();
  EXPECT_LT(fragments(kStart), 16U);
  check_all();
}

}  // namespace
}  // namespace varve::engine::rocksdb
