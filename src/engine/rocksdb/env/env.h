// SPDX-License-Identifier: Apache-2.0
// Env: the options and the clock of a store, which all its parts share. Constant.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "engine/rocksdb/env/options.h"
#include "engine/shared/chunk_width.h"
#include "engine/shared/stored_for.h"

namespace varve::engine::rocksdb {

struct Env {
  Env(const Options& o, const Clock& c) : options(o), clock(c) {}

  const Options options;
  const Clock& clock;
  const std::int64_t chunk_width_ms = shared::chunk_width_ms(options.slot_width_ms, options.rollups);

  [[nodiscard]] shared::Lifetimes lifetimes() const {
    return {options.rollups.levels, options.raw_retention_ms, chunk_width_ms};
  }
  // Of strata (runs/strata.h); 0: none are made. They go as a whole, which must not be much later than their first
  // sample should; and without windows questions by the hour are answered from what is known of each chunk.
  [[nodiscard]] std::int64_t stratum_width_ms() const {
    constexpr std::int64_t kRetentionPart = 8;
    const std::int64_t width = options.stratum_width_ms;
    const bool fits = width > chunk_width_ms && width % chunk_width_ms == 0;
    const bool rolls_up = options.rolls_up && !options.rollups.levels.empty();
    return fits && rolls_up && width <= options.raw_retention_ms / kRetentionPart ? width : 0;
  }
  // Calls Options::at_step, if set.
  [[nodiscard]] Status step(std::string_view name) const { return options.at_step ? options.at_step(name) : Status{}; }
  [[nodiscard]] Status step(std::string_view what, std::string_view when) const {
    return options.at_step ? options.at_step(std::string(what).append(when)) : Status{};
  }
};

}  // namespace varve::engine::rocksdb
