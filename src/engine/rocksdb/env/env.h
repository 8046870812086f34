// SPDX-License-Identifier: Apache-2.0
// Env: the options and the clocks of a store, which all its parts share. Constant.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "engine/rocksdb/env/options.h"
#include "engine/shared/chunk_width.h"
#include "engine/shared/expiry_clock.h"
#include "engine/shared/stored_for.h"

namespace varve::engine::rocksdb {

struct Env {
  Env(const Options& o, const Clock& c, shared::ExpiryClock& e) : options(o), clock(c), expiry(e) {}

  const Options options;
  const Clock& clock;
  shared::ExpiryClock& expiry;  // by it goes all that is deleted, or not read any more, because its time is over
  const std::int64_t chunk_width_ms = shared::chunk_width_ms(options.slot_width_ms, options.rollups);

  // For waiting, which no jump of the clock may make longer.
  [[nodiscard]] std::int64_t steady_ms() const { return clock.steady_ns() / 1'000'000; }
  [[nodiscard]] shared::Lifetimes lifetimes() const {
    return {options.rollups.levels, options.raw_retention_ms, chunk_width_ms};
  }
  // The strata that are made (runs/strata.h). They go as a whole, which must not be much later than their first sample
  // should; and without windows questions by the hour are answered from what is known of each chunk.
  [[nodiscard]] std::vector<Options::Stratum> strata() const {
    constexpr std::int64_t kRetentionPart = 7;
    std::vector<Options::Stratum> made;
    if (!options.rolls_up || options.rollups.levels.empty()) return made;
    for (const auto& one : options.strata) {
      const bool fits = one.width_ms > chunk_width_ms && one.width_ms % chunk_width_ms == 0;
      if (fits && one.width_ms <= options.raw_retention_ms / kRetentionPart) made.push_back(one);
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
