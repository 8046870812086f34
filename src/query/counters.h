// SPDX-License-Identifier: Apache-2.0
// Counters: what is known of a metric's series where its first step asks by how much they grew.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "aggregate/counter_stage.h"
#include "base/result.h"
#include "counter/declared.h"
#include "counter/walk.h"
#include "query/budget.h"
#include "query/deadline.h"
#include "query/plan.h"
#include "storage/sample_store.h"
#include "storage/series_store.h"

namespace varve::query {

// Of the first step, if that is a counter's; else nullptr.
const aggregate::CounterStage* counter_stage(const Pipeline& pipeline);

// What all metrics of a query are asked with.
struct CounterSources {
  const storage::SeriesStore& series;
  storage::SampleStore& samples;
  const counter::Declared* declared = nullptr;  // nullptr: nobody declares any
  model::TenantId tenant{};
  std::string_view tenant_name;
};

class Counters {
 public:
  // Of no series.
  Counters() = default;

  // Reads restarts and discontinuities of devices (counter/breaks.h), of those series of the plan that have some.
  // `range`: of which growth is asked. Errors: limit, and those of the stores.
  static Result<Counters> read(const CounterSources& sources, const MetricQuery& query, const Pipeline& pipeline,
                               const Plan& plan, model::TimeRange range, const Deadline& deadline, const Limits& limits,
                               Budget& budget);

  // `series`: a position in the plan.
  [[nodiscard]] counter::Evidence evidence(std::size_t series) const;
  // Does the question ask for what the series' own windows say? Else only samples can tell.
  [[nodiscard]] bool has_own_rules(std::size_t series) const { return known_[series].has_own_rules; }
  // The samples that matter for growth in `range`: also those around it, as far away as the longest gap limit.
  [[nodiscard]] model::TimeRange around(model::TimeRange range) const;
  // The same in ranges to be scanned. Where windows may be read these are for one of them, that in which growth is
  // asked: a window may not reach over its ends.
  [[nodiscard]] std::vector<model::TimeRange> scans(model::TimeRange range, model::TimeRange grows) const;

 private:
  struct Known {
    counter::Rules rules;
    bool has_own_rules = false;
    std::vector<counter::Ceiling> ceilings;
    std::vector<model::Timestamp> breaks;
  };

  std::vector<Known> known_;  // of each series
  std::int64_t reach_ms_ = 0;
};

}  // namespace varve::query
