// SPDX-License-Identifier: Apache-2.0
#include "engine/shared/window_plan.h"

#include <algorithm>

#include "base/check.h"
#include "engine/shared/stored_for.h"

namespace varve::engine::shared {
namespace {

using model::TimeRange;

class Planner {
 public:
  Planner(const PlanRules& rules, std::vector<Segment>& plan) : rules_(rules), plan_(plan) {}

  void add(TimeRange range, std::size_t levels, bool for_windows) {
    if (range.empty()) return;
    while (levels > 0) {
      const TimeRange inner = usable(range, --levels);
      if (inner.empty() || !rules_.takes(inner, levels)) continue;
      add({range.first, inner.first}, levels, true);
      model::Timestamp done = inner.first;
      for (const TimeRange& part : rules_.trusted(inner, levels)) {
        check(part.first >= done && part.last <= inner.last, "trusted windows ascend within the range");
        add({done, part.first}, levels, true);
        append({part, levels, false}, plan_);
        done = part.last;
      }
      add({done, inner.last}, levels, true);
      return add({inner.last, range.last}, levels, true);
    }
    append({range, Segment::kSamples, for_windows}, plan_);
  }

 private:
  // The whole windows in the range. Those whose time is over may be gone at any moment; the samples may not.
  [[nodiscard]] TimeRange usable(TimeRange range, std::size_t level) const {
    const auto& [width_ms, retention_ms] = rules_.levels[level];
    const model::Timestamp first = std::max(range.first, kept_from(retention_ms, rules_.now_ms));
    return {model::round_up(first, width_ms), model::window_start(range.last, width_ms)};
  }

  const PlanRules& rules_;
  std::vector<Segment>& plan_;
};

}  // namespace

void append(const Segment& segment, std::vector<Segment>& plan) {
  if (segment.range.empty()) return;
  if (!plan.empty() && plan.back().range.last == segment.range.first && plan.back().level == segment.level) {
    plan.back().range.last = segment.range.last;
  } else {
    plan.push_back(segment);
  }
}

void plan_windows(const PlanRules& rules, TimeRange range, std::size_t levels, std::vector<Segment>& plan) {
  check(levels <= rules.levels.size(), "a plan of granularities that there are");
  Planner(rules, plan).add(range, levels, levels < rules.levels.size());
}

}  // namespace varve::engine::shared
