// SPDX-License-Identifier: Apache-2.0
// Env: the options and the clocks of a store, which all its parts share. Constant.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "engine/rocksdb/env/options.h"
#include "engine/shared/chunk_width.h"
#include "engine/shared/expiry_clock.h"
#include "engine/shared/stored_for.h"

namespace varve::engine::rocksdb {

struct Env {
  static constexpr std::int64_t kAtOnce = -rollup::kForEver;  // a retention

  Env(const Options& o, std::vector<rollup::Level> f, const Clock& c, shared::ExpiryClock& e)
      : options(o), former(std::move(f)), clock(c), expiry(e) {}

  const Options options;
  const std::vector<rollup::Level> former;  // granularities that were configured once (runs/known_levels.h); ascending
  const Clock& clock;
  shared::ExpiryClock& expiry;  // by it goes all that is deleted, or not read any more, because its time is over
  const std::int64_t chunk_width_ms = shared::chunk_width_ms(options.slot_width_ms, options.rollups);

  // For waiting, which no jump of the clock may make longer.
  [[nodiscard]] std::int64_t steady_ms() const { return clock.steady_ns() / 1'000'000; }
  const rollup::RetentionClasses classes{options.retention_classes, {options.raw_retention_ms, options.rollups.levels}};
  // `kept`: the longest of those whose data lie together, such as Catalog::kept() of a tenant. It must outlive the
  // answer.
  [[nodiscard]] shared::Lifetimes lifetimes(const rollup::Retention& kept) const {
    return {kept.levels, kept.raw_ms, chunk_width_ms};
  }
  // How long windows are stored of a granularity that is not configured, from their end.
  [[nodiscard]] std::int64_t former_stored_ms(std::int64_t width_ms) const {
    if (std::ranges::find(options.dropped_granularities_ms, width_ms) != options.dropped_granularities_ms.end()) {
      return kAtOnce;
    }
    const auto known = std::ranges::find(former, width_ms, &rollup::Level::width_ms);
    return known == former.end() ? rollup::kForEver : known->retention_ms;  // older versions did not note them
  }
  // Of samples and all windows alike.
  [[nodiscard]] std::int64_t longest_ms(const rollup::Retention& kept) const {
    std::int64_t longest = lifetimes(kept).longest_ms();
    for (const rollup::Level& level : former) longest = std::max(longest, former_stored_ms(level.width_ms));
    return longest;
  }
  // The strata that are made (runs/strata.h). They go as a whole, which must not be much later than their first sample
  // should; and without windows questions by the hour are answered from what is known of each chunk.
  [[nodiscard]] std::vector<Options::Stratum> strata(const rollup::Retention& kept) const {
    constexpr std::int64_t kRetentionPart = 7;
    std::vector<Options::Stratum> made;
    if (!options.rolls_up || options.rollups.levels.empty()) return made;
    for (const auto& one : options.strata) {
      const bool fits = one.width_ms > chunk_width_ms && one.width_ms % chunk_width_ms == 0;
      if (fits && one.width_ms <= kept.raw_ms / kRetentionPart) made.push_back(one);
    }
    return made;
  }
  // Calls Options::at_step, if set.
  [[nodiscard]] Status step(std::string_view name) const { return options.at_step ? options.at_step(name) : Status{}; }
  [[nodiscard]] Status step(std::string_view what, std::string_view when) const {
    return options.at_step ? options.at_step(std::string(what).append(when)) : Status{};
  }
};

}  // namespace varve::engine::rocksdb
