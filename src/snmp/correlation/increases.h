// SPDX-License-Identifier: Apache-2.0
// Increases: looks at the values of counters that follow each other in a device's polls, and counts those between which
// nobody can know by how much the counter grew. Questions leave these out, by the same rules, when a rate is asked for;
// the poller looks because it has the values in its hands, and because nobody may ask.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "counter/unknown.h"
#include "snmp/correlation/last_values.h"
#include "snmp/walk/plan.h"

namespace varve::snmp::correlation {

// Of one poll, by counter::WhyUnknown: how many, and one of them: "ifInOctets of 'xe-0/0/0'".
struct UnknownIncreases {
  std::array<std::uint32_t, counter::kWhyUnknown.size()> counts = {};
  std::array<std::string, counter::kWhyUnknown.size()> such_as = {};
};

// What is kept of a device and set from poll to poll.
struct CounterMemory {
  std::vector<LastValues> passes = {};   // as Plan::passes
  std::vector<LastValues> scalars = {};  // one, with a row
  model::Timestamp uptime_at = 0;        // of the last poll that had sysUpTime; 0: none had
  std::uint32_t uptime_ticks = 0;        // what it was
  model::Timestamp restarted_at = model::kTimestampMin;

  [[nodiscard]] std::size_t memory_bytes() const;
};

// What a row's counters are judged by, beside their values.
struct RowTags {
  // By which rules is it judged? nullopt: by those of its type.
  std::function<std::optional<counter::Declaration>(const std::string& metric)> rules = {};
  std::function<std::string()> name = {};  // "" of scalars
};

// For one poll; all outlive it.
class IncreaseWatch {
 public:
  IncreaseWatch(const walk::Plan& plan, CounterMemory& memory, UnknownIncreases& out);

  static void on_uptime(CounterMemory& memory, std::uint32_t ticks, model::Timestamp at);

  // Rows of these columns of a pass follow.
  void begin_table(std::size_t pass, std::size_t first_value);
  // Bit i of the mask: values have one of column i; `name`: the hash of its tags.
  void row(std::uint64_t name, std::uint64_t mask, std::span<const std::int64_t> values, model::Timestamp at,
           const RowTags& tags);
  void scalar(std::uint16_t measure, std::int64_t value, model::Timestamp at, const RowTags& tags);
  // `whole`: by pass, whether it came to its end; `now`: of the last answer.
  void end(const std::vector<bool>& whole, model::Timestamp now);

 private:
  static constexpr std::int32_t kNoCell = -1;
  void look(LastValues::Cell& cell, const walk::Measure& measure, model::Timestamp began_anew,
            const LastValues::Cell& now, const RowTags& tags);
  void note(counter::WhyUnknown why, const walk::Measure& measure, const RowTags& tags);

  const walk::Plan& plan_;
  CounterMemory& memory_;
  UnknownIncreases& out_;
  counter::Rules rules_;  // of all counters of the set, but for what it means that one falls
  // Of the columns of the table: the cell of a counter or of the time of discontinuity.
  struct Watched {
    std::int32_t cell = kNoCell;
    bool is_discontinuity = false;
    std::uint16_t measure = 0;
  };
  std::vector<Watched> columns_;
  LastValues* table_ = nullptr;
};

}  // namespace varve::snmp::correlation
