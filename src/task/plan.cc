// SPDX-License-Identifier: Apache-2.0
#include "task/plan.h"

#include <algorithm>

#include "aggregate/windows.h"

namespace varve::task {

std::optional<Step> next_step(const MetricPlan& plan, const std::string& time_zone, model::TimeRange asked,
                              std::optional<model::Timestamp> saved_until, bool again, model::Timestamp now,
                              std::int64_t windows_max) {
  aggregate::Grid grid;
  grid.sampling = plan.sampling;
  if (auto zone = model::TimeZone::find(time_zone)) grid.zone = *zone;
  const aggregate::Windows windows = aggregate::windows_of(grid, saved_until.value_or(asked.first));

  const std::int64_t begin = windows.index(saved_until.value_or(asked.first));
  const std::int64_t end = windows.index(std::min(now, asked.last));
  if (end <= begin) return std::nullopt;
  const std::int64_t first = saved_until && again ? begin - 1 : begin;
  const std::int64_t until = std::min(end, begin + std::max<std::int64_t>(windows_max, 1));
  Step step;
  step.read = {windows.start(plan.looks_back ? first - 1 : first), windows.start(until)};
  step.save_from = windows.start(first) + (plan.stamps_end ? 1 : 0);
  step.until = windows.start(until);
  step.last = until == end;
  return step;
}

}  // namespace varve::task
