// SPDX-License-Identifier: Apache-2.0
// Totals: what was found in KairosDB, by metric, and what became of it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>

#include "model/time.h"

namespace varve::migrate {

// In cells: one of them is a sample of KairosDB. cells = samples + other + bad + too_old.
struct MetricCount {
  std::uint64_t cells = 0;
  std::uint64_t samples = 0;  // taken by varve
  std::uint64_t old = 0;      // of the samples: before Options::old_before_ms
  std::uint64_t other = 0;    // of types that are not migrated
  std::uint64_t bad = 0;
  std::uint64_t too_old = 0;                        // older than everything that varve keeps
  std::uint8_t types = 0;                           // bit 1 << DataType of each that was among the samples
  model::Timestamp last_ms = model::kTimestampMin;  // of the samples

  void add(const MetricCount& more) {
    cells += more.cells;
    samples += more.samples;
    old += more.old;
    other += more.other;
    bad += more.bad;
    too_old += more.too_old;
    types |= more.types;
    last_ms = std::max(last_ms, more.last_ms);
  }
  bool operator==(const MetricCount&) const = default;
};

struct Totals {
  std::map<std::string, MetricCount, std::less<>> metrics;
  std::map<std::string, std::uint64_t, std::less<>> other_types;  // cells by name of the type
  std::uint64_t bad_keys = 0;                                     // cells of keys that do not even name a metric

  void add(const Totals& more) {
    for (const auto& [name, count] : more.metrics) metrics[name].add(count);
    for (const auto& [name, count] : more.other_types) other_types[name] += count;
    bad_keys += more.bad_keys;
  }
  [[nodiscard]] MetricCount sum() const {
    MetricCount all;
    for (const auto& [name, count] : metrics) all.add(count);
    return all;
  }
  bool operator==(const Totals&) const = default;
};

}  // namespace varve::migrate
