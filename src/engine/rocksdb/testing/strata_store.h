// SPDX-License-Identifier: Apache-2.0
// A store whose slots become strata, and what was put into it.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "engine/rocksdb/testing/rollup_store.h"
#include "storage/slot_store.h"

namespace varve::engine::rocksdb::testing {

using model::TimeRange;
using model::Timestamp;
using model::Value;

class StrataStore : public RollupStore {
 protected:
  using Hook = std::function<Status(std::string_view step)>;
  StrataStore() : StrataStore(std::make_shared<Hook>()) {}

  static constexpr TimeRange kFirstDay{kStart, kStart + kDay};
  static constexpr TimeRange kAll{kStart - 10 * kDay, kStart + 100 * kDay};

  void put(Timestamp time, double value) {
    ASSERT_TRUE(store.put(*group, time, {Value::of_double(value)}));
    samples[time] = value;
  }
  void put_minutes(Timestamp from, Timestamp to) {
    model::RowBatch batch;
    for (Timestamp t = from; t < to; t += kMinute) {
      samples[t] = static_cast<double>(t / kMinute % 1000);
      batch.add(group->line, t, std::vector{Value::of_double(samples[t])});
    }
    ASSERT_TRUE(store.append(batch));
  }
  // The first hour comes first: then the day consists of hours until it is widened.
  void put_minutes_by_hours(Timestamp from, Timestamp to) {
    put_minutes(from, from + kHour);
    settle();
    put_minutes(from + kHour, to);
  }
  // All that is asked says what was put.
  void check(TimeRange range = kAll) {
    for (const std::int64_t width : {5 * kMinute, kHour, kDay}) {
      SCOPED_TRACE(width);
      Sums want;
      for (const auto& [time, v] : samples) {
        if (range.contains(time)) want[model::window_start(time, width)].add(time, 1, v, v, v);
      }
      expect_equal(read("m", width, range).sums, want);
      expect_equal(read("m", width, range, false).sums, want);
    }
  }
  void check_all() {
    check();
    check({kStart + 90 * kMinute + 1, kStart + 7 * kHour + 12 * kMinute});
    check({kStart + 23 * kHour, kStart + 26 * kHour + 1});
  }
  std::vector<storage::SlotState> slots() { return engine.store().slots(store.tenant(), 1000); }
  // As a delete does at first.
  void flush() {
    const TimeRange nothing{kAll.last, kAll.last + 1};
    ASSERT_TRUE(engine.samples().erase(store.tenant(), store.find("m"), nothing, nullptr));
  }
  std::size_t strata() {
    std::size_t count = 0;
    for (const auto& slot : slots()) count += slot.end - slot.start > kHour ? 1 : 0;
    return count;
  }
  std::size_t samples_read(TimeRange range) { return read("m", kHour, range).samples; }

  const std::shared_ptr<Hook> hook;
  storage::testing::Group* group = store.group({"m"});
  std::map<Timestamp, double> samples;

 private:
  explicit StrataStore(const std::shared_ptr<Hook>& in) : RollupStore(hooked(in)), hook(in) {}
  static Options hooked(const std::shared_ptr<Hook>& hook) {
    Options o = options();
    o.at_step = [hook](std::string_view step) { return *hook ? (*hook)(step) : Status{}; };
    return o;
  }
};

}  // namespace varve::engine::rocksdb::testing
