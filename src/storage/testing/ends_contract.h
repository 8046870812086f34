// SPDX-License-Identifier: Apache-2.0
// The contract of a store at the first and the last time that a sample may have. To be included beside
// store_contract.h.
#pragma once

#include "storage/testing/hourly_sink.h"
#include "storage/testing/store_contract.h"

namespace varve::storage::testing {

// Windows and slots begin before the first time that there is, and end behind the last one.
TEST_P(StoreContract, the_ends_of_time_are_times_like_others) {
  const auto pair = store.group({"m", "n"});
  const auto alone = store.group({"m"});
  const std::vector<model::Timestamp> times = {model::kTimestampMin, model::kTimestampMin + 1,
                                               model::kTimestampMin + model::kDayMs,
                                               model::kTimestampMax - model::kHourMs, model::kTimestampMax};
  Samples want;
  std::int64_t value = 0;
  const auto put = [&] {
    for (const auto time : times) {
      const auto& group = ++value % 2 == 0 ? pair : alone;
      ASSERT_TRUE(store.put(*group, time, std::vector(group->metrics.size(), L(value))));
      want[time] = OwnedValue(L(value));
    }
  };
  const auto look = [&] {
    EXPECT_EQ(store.read("m"), want);
    const auto series = store.find("m");
    HourlySink sink(series.size());
    ASSERT_TRUE(engine->samples().scan(store.tenant(), series, {}, sink));
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < series.size(); ++i) {  // none, once all is erased
      for (const auto& [hour, sums] : sink.hours(i)) count += sums.first;
    }
    EXPECT_EQ(count, want.size());
    if (const SlotStore* const slots = engine->slots()) {
      EXPECT_TRUE(slots->set_aside().empty());
    }
  };
  for (int round = 0; round < 3; ++round) {  // the second one comes late
    put();
    everywhere(look);
  }
  for (const model::TimeRange range :
       {model::TimeRange{model::kTimestampMin, model::kTimestampMin + 1},
        model::TimeRange{model::kTimestampMax, model::kTimestampMax + 1}, model::TimeRange{}}) {
    ASSERT_TRUE(engine->samples().erase(store.tenant(), store.find("m"), range, nullptr));
    std::erase_if(want, [&](const auto& sample) { return range.contains(sample.first); });
    everywhere(look);
  }
  put();
  everywhere(look);
}

}  // namespace varve::storage::testing
