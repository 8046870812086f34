// SPDX-License-Identifier: Apache-2.0
// For tests: the hours of a day of one line group, put, sealed and read.
#pragma once

#include <string>
#include <vector>

#include "engine/cassandra/testing/group_rows.h"

namespace varve::engine::cassandra::testing {

class SealedDay : public GroupRows {
 protected:
  static constexpr model::Timestamp kFirst = 400'008 * kHour;  // a day begins
  static_assert(kFirst % kDay == 0);
  static constexpr std::int64_t kRetentionMs = 10 * kDay;

  SealedDay() : GroupRows({}, kRetentionMs) { clock.advance_ms(kFirst + kDay - clock.now_ms()); }
  const GroupRef group = group_named('g', 40);
  static model::Timestamp at(int hour, int ms = 0) { return kFirst + hour * kHour + ms; }

  void put(model::Timestamp time, std::int64_t value) { GroupRows::put(group, {{time, model::Value::of_long(value)}}); }
  void put_hours(int from, int until) {
    for (int hour = from; hour < until; ++hour) put(at(hour), hour);
  }
  void seal_hours(int from, int until) {
    std::vector<SealWork> works;
    for (int hour = from; hour < until; ++hour) works.push_back({group, at(hour)});
    const auto sealed = sealer.seal(works);
    ASSERT_TRUE(sealed) << sealed.error().message;
    for (const SealedSlot& one : *sealed) EXPECT_TRUE(one.status);
  }
  // "hour:value …" of a column in sealed rows; with ms where there are some.
  std::string read(std::uint16_t column = 0, model::TimeRange range = {kFirst, kFirst + kDay}) {
    std::string text;
    for (const auto& [time, value] : samples_of(group, column, range)) {
      const model::Timestamp since = time - kFirst;
      text += std::to_string(since / kHour) + (since % kHour == 0 ? "" : "+" + std::to_string(since % kHour)) + ":" +
              std::to_string(value) + " ";
    }
    return text;
  }
  std::size_t rows_stored() { return rows.size(tables.sealed); }
};

}  // namespace varve::engine::cassandra::testing
