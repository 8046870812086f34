// SPDX-License-Identifier: Apache-2.0
// Plan: which windows a run of a task makes. Only whole ones are saved: what goes on is left to the next run.
//
//            saved until                          now
//   … | window | window | window | window | window ┊     |
//       └ again ┘└──────────────  new ────────────┘
//
// The last window that was saved is made again, with the samples that have come since.
#pragma once

#include <optional>

#include "model/time.h"
#include "task/task.h"

namespace varve::task {

struct Step {
  model::TimeRange read;           // whole windows
  model::Timestamp save_from = 0;  // points before are left out: they were read for what looks back
  model::Timestamp until = 0;      // everything before is saved after it
  bool last = true;                // false: there is more to do
};

// `asked`: the range of the query, as of now. `saved_until`: where the last run ended. At most `windows_max` windows.
// nullopt: nothing to do yet.
std::optional<Step> next_step(const MetricPlan& plan, const std::string& time_zone, model::TimeRange asked,
                              std::optional<model::Timestamp> saved_until, bool again, model::Timestamp now,
                              std::int64_t windows_max);

}  // namespace varve::task
