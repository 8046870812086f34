// SPDX-License-Identifier: Apache-2.0
// ContrailTotals: what was found in Contrail's tables of messages, and what became of it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <string>

namespace varve::migrate {

// In rows: one of them is a message. read = written + bad + too_old + ahead.
struct ContrailCount {
  std::uint64_t read = 0;
  std::uint64_t written = 0;
  std::uint64_t bad = 0;
  std::uint64_t too_old = 0;    // older than what varve keeps
  std::uint64_t ahead = 0;      // too far ahead of the clock
  std::uint64_t bad_names = 0;  // of messages that were written: without a name of an object that is none
  std::uint64_t fading = 0;     // of the written: before Copying::fading_before_us

  void add(const ContrailCount& more) {
    read += more.read;
    written += more.written;
    bad += more.bad;
    too_old += more.too_old;
    ahead += more.ahead;
    bad_names += more.bad_names;
    fading += more.fading;
  }
  bool operator==(const ContrailCount&) const = default;
};

struct ContrailTotals {
  static constexpr std::size_t kReasonsMax = 50;
  static constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();

  std::array<ContrailCount, 2> tables;                        // by ContrailTable
  std::map<std::string, std::uint64_t, std::less<>> reasons;  // of bad rows
  std::int64_t first_us = kNone, last_us = -kNone;            // of the written

  void add_reason(const std::string& reason, std::uint64_t times) {
    const bool fits = reasons.size() < kReasonsMax || reasons.contains(reason);
    reasons[fits ? reason : "other reasons"] += times;
  }
  void add(const ContrailTotals& more) {
    for (std::size_t i = 0; i < tables.size(); ++i) tables[i].add(more.tables[i]);
    for (const auto& [reason, times] : more.reasons) add_reason(reason, times);
    first_us = std::min(first_us, more.first_us);
    last_us = std::max(last_us, more.last_us);
  }
  [[nodiscard]] ContrailCount sum() const {
    ContrailCount all;
    for (const auto& table : tables) all.add(table);
    return all;
  }
  bool operator==(const ContrailTotals&) const = default;
};

}  // namespace varve::migrate
