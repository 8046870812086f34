// SPDX-License-Identifier: Apache-2.0
#include "query/counters.h"

#include <algorithm>
#include <utility>

#include "counter/options.h"
#include "query/device_breaks.h"

namespace varve::query {

const aggregate::CounterStage* counter_stage(const Pipeline& pipeline) {
  return pipeline.stages.empty() ? nullptr : std::get_if<aggregate::CounterStage>(pipeline.stages.data());
}

Result<Counters> Counters::read(const CounterSources& sources, const MetricQuery& query, const Pipeline& pipeline,
                                const Plan& plan, model::TimeRange range, const Deadline& deadline,
                                const Limits& limits, Budget& budget) {
  const counter::Options& options = counter_stage(pipeline)->options;
  Counters out;
  VARVE_RETURN_IF_ERROR(budget.charge(plan.series.size() * sizeof(Known)));
  out.known_.reserve(plan.series.size());
  const auto* const one_name = std::get_if<std::string>(&query.metric);
  std::vector<std::size_t> of_devices;
  for (std::size_t s = 0; s < plan.series.size(); ++s) {
    const std::string_view metric = one_name != nullptr ? *one_name : plan.tags.value(s, kNameTag);
    std::optional<counter::Declaration> declared;
    if (sources.declared != nullptr) {
      declared = sources.declared->find(sources.tenant_name, metric,
                                        [&](std::string_view key) { return plan.tags.value(s, key); });
    }
    Known& known = out.known_.emplace_back();
    known.rules = counter::rules_of(options, declared);
    known.has_own_rules = declared && known.rules == declared->rules;
    // A ceiling that the question names is the only one.
    if (declared && !options.max_per_second) known.ceilings = std::move(declared->ceilings);
    out.reach_ms_ = std::max(out.reach_ms_, known.rules.gap_ms);
    if (has_device_breaks(metric)) of_devices.push_back(s);
  }
  if (of_devices.empty()) return out;
  // The sample of the device that a change is seen against may be older than the oldest sample of a counter.
  const model::TimeRange told = out.around(out.around(range));
  VARVE_ASSIGN_OR_RETURN(auto breaks, read_device_breaks(sources, plan, of_devices, told, deadline, limits, budget));
  for (std::size_t i = 0; i < of_devices.size(); ++i) out.known_[of_devices[i]].breaks = std::move(breaks[i]);
  return out;
}

model::TimeRange Counters::around(model::TimeRange range) const {
  // Beyond all time there is no sample.
  const std::int64_t reach = std::min(reach_ms_, model::kTimestampMax - model::kTimestampMin);
  return {std::max(range.first - reach, std::min(range.first, model::kTimestampMin)),
          std::min(range.last + reach, std::max(range.last, model::kTimestampMax + 1))};
}

std::vector<model::TimeRange> Counters::scans(model::TimeRange range, model::TimeRange grows) const {
  const model::TimeRange all = around(range);
  if (grows.empty() || std::ranges::none_of(known_, &Known::has_own_rules)) return {all};
  std::vector<model::TimeRange> list{grows, {all.first, grows.first}, {grows.last, all.last}};
  std::erase_if(list, [](const model::TimeRange& one) { return one.empty(); });
  return list;
}

counter::Evidence Counters::evidence(std::size_t series) const {
  const Known& known = known_[series];
  return {known.rules, known.ceilings, known.breaks};
}

}  // namespace varve::query
