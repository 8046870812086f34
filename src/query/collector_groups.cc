// SPDX-License-Identifier: Apache-2.0
// What was collected becomes groups: merged, limited, split, and run through the steps.
#include <algorithm>
#include <string>
#include <utility>

#include "aggregate/pipeline.h"
#include "query/collector.h"
#include "query/joiner.h"

namespace varve::query {

using aggregate::Points;
using model::ValueType;

namespace {

// What is computed can overflow, and JSON has no infinity. (A NaN that was stored is another matter: it is shown as
// null.)
Status check_finite(const MetricName& metric, const Pipeline& query, const Points& points) {
  const auto step = std::ranges::find_if(query.stages.rbegin(), query.stages.rend(), aggregate::computes);
  if (step == query.stages.rend()) return {};
  const auto is_infinite = [](std::uint64_t bits) { return bits << 1 == std::uint64_t{0x7ff} << 53; };
  std::size_t infinite = 0;  // or longs that look like it
  for (const std::uint64_t bits : points.bits) infinite += is_infinite(bits) ? 1 : 0;
  for (std::size_t i = 0; infinite != 0 && i < points.size(); ++i) {
    if (points.type_of(i) != ValueType::double_ || !is_infinite(points.bits[i])) continue;
    const std::string_view name = aggregate::name_of(*step);
    return fail(Code::invalid, "the " + std::string(name == "avg" ? "average" : name) + " of " + text_of(metric) +
                                   " at " + std::to_string(points.times[i]) + " is infinite");
  }
  return {};
}

aggregate::Scope scope_of(model::TimeRange range, model::Timestamp now, aggregate::Charge charge) {
  return {range.first, std::min(range.last - 1, now), std::move(charge)};
}

}  // namespace

bool Collector::saw(std::uint32_t group, Kind kind) const {
  return std::ranges::any_of(plan_.groups[group].members,
                             [&](std::uint32_t s) { return (seen_[s] & bit_of(kind)) != 0; });
}

Points Collector::samples_of(std::uint32_t series, std::uint64_t& samples) {
  Run run = std::move(runs_[series]);
  keep_each_type(run, pipeline_.limit, pipeline_.descending);
  samples += run.size();
  return run;
}

Result<Points> Collector::merged_numbers(std::uint32_t group, std::uint64_t& samples) {
  std::vector<Run> runs;
  std::size_t charged = 0;
  for (const std::uint32_t series : plan_.groups[group].members) {
    if (runs_[series].size() == 0) continue;
    charged += bytes_of(runs_[series]);
    runs.push_back(samples_of(series, samples));
  }
  return merge_charged(std::move(runs), charged, budget_);
}

// Without points.
Group Collector::head_of(std::uint32_t group, Kind kind) const {
  std::vector<std::uint32_t> seen;
  for (const std::uint32_t series : plan_.groups[group].members) {
    if ((seen_[series] & bit_of(kind)) != 0) seen.push_back(series);
  }
  return without_points(plan_, group, kind, seen);
}

Status Collector::put(Group group, Points points, std::span<const aggregate::Step> steps, MetricAnswer& answer) {
  const aggregate::Scope scope = scope_of(range_, now_, charge_);
  const auto saved = [&](const aggregate::SaveAs& save, const Points& so_far) {
    return request_.save ? request_.save(asked_, group, save, so_far) : Status{};
  };
  VARVE_ASSIGN_OR_RETURN(points, aggregate::run(steps, scope, pipeline_.descending, std::move(points), saved));
  if (!points.in_text()) VARVE_RETURN_IF_ERROR(check_finite(asked_.metric, pipeline_, points));
  group.points = std::move(points);
  answer.groups.push_back(std::move(group));
  return {};
}

// Samples that were kept, ascending: all steps are still to be done.
Status Collector::put_samples(Group head, Points points, MetricAnswer& answer) {
  if (pipeline_.splits.empty()) {
    keep(points, pipeline_.limit, pipeline_.descending);
    return put(std::move(head), std::move(points), pipeline_.stages, answer);
  }
  VARVE_RETURN_IF_ERROR(budget_.charge(points.size() * sizeof(Number) * (1 + pipeline_.splits.size())));
  if (pipeline_.descending) points.reverse();  // parts are in order of what comes first in the answer
  auto parts = aggregate::split(pipeline_.splits, range_.first, std::move(points));
  VARVE_RETURN_IF_ERROR(budget_.charge(parts.size() * (sizeof(Group) + head.tags.bytes())));
  for (auto& [key, samples] : parts) {
    if (pipeline_.descending) samples.reverse();
    keep(samples, pipeline_.limit, pipeline_.descending);
    Group group = head;
    group.split = key;
    VARVE_RETURN_IF_ERROR(put(std::move(group), std::move(samples), pipeline_.stages, answer));
  }
  return {};
}

Status Collector::put_parts(std::uint32_t group, Group head, MetricAnswer& answer) {
  auto& parts = groups_[group].parts;
  VARVE_RETURN_IF_ERROR(budget_.charge(parts.size() * head.tags.bytes()));
  std::vector<std::pair<const aggregate::SplitKey*, Part*>> order;
  for (auto& [key, part] : parts) order.emplace_back(&key, &part);
  std::ranges::stable_sort(order, [&](const auto& a, const auto& b) {
    return pipeline_.descending ? b.second->edge < a.second->edge : a.second->edge < b.second->edge;
  });
  for (const auto& [key, part] : order) {
    answer.sample_size += part->samples;
    Group one = head;
    one.split = *key;
    const auto cells = part->cells.take(first_->function);
    VARVE_RETURN_IF_ERROR(charge_(cells.size() * sizeof(Number)));
    VARVE_ASSIGN_OR_RETURN(Points points, aggregate::to_points(*first_, windows_, cells, charge_));
    VARVE_RETURN_IF_ERROR(put(std::move(one), std::move(points), std::span(pipeline_.stages).subspan(1), answer));
  }
  return {};
}

// Of a group that is not split, after the first step, or before it where samples are kept.
Result<Points> Collector::numbers_of(std::uint32_t group, std::uint64_t& samples) {
  if (counts_) return counted_of(group, samples);
  if (percentile_ == nullptr && first_ == nullptr) return merged_numbers(group, samples);
  GroupState& state = groups_[group];
  samples += state.samples;
  if (percentile_ != nullptr) return state.values.take(*percentile_, windows_);
  const auto cells = state.cells.take(first_->function);
  VARVE_RETURN_IF_ERROR(charge_(cells.size() * sizeof(Number)));
  return aggregate::to_points(*first_, windows_, cells, charge_);
}

Status Collector::put_numbers(std::uint32_t group, MetricAnswer& answer) {
  if (counter_ != nullptr && !counts_) return put_counted_parts(group, answer);
  if (first_ != nullptr && !pipeline_.splits.empty()) return put_parts(group, head_of(group, Kind::number), answer);
  VARVE_ASSIGN_OR_RETURN(Points points, numbers_of(group, answer.sample_size));
  Group head = head_of(group, Kind::number);
  const bool are_samples = first_ == nullptr && percentile_ == nullptr && !counts_;
  if (are_samples) return put_samples(std::move(head), std::move(points), answer);
  return put(std::move(head), std::move(points), std::span(pipeline_.stages).subspan(1), answer);
}

// Each series is a group of the plan, of the same number. Only numbers can be joined.
Result<MetricAnswer> Collector::joined(const Join& how) {
  Joiner joiner(how, range_, plan_.tags, budget_, charge_);
  std::uint64_t samples = 0;
  for (const std::uint32_t series : plan_.order) {
    if ((seen_[series] & bit_of(Kind::number)) == 0) continue;
    VARVE_RETURN_IF_ERROR(deadline_.check());
    const std::size_t kept = runs_.empty() ? 0 : bytes_of(runs_[series]);
    VARVE_ASSIGN_OR_RETURN(Points points, runs_.empty() ? numbers_of(series, samples) : samples_of(series, samples));
    VARVE_RETURN_IF_ERROR(check_finite(asked_.metric, pipeline_, points));
    VARVE_RETURN_IF_ERROR(joiner.add(series, std::move(points)));
    budget_.release(kept);
  }
  VARVE_ASSIGN_OR_RETURN(MetricAnswer answer, joiner.finish());
  answer.sample_size = samples;
  return answer;
}

Status Collector::put_texts(std::uint32_t group, Kind kind, MetricAnswer& answer) {
  auto& texts = groups_[group].texts[static_cast<std::size_t>(kind)];
  keep(texts, pipeline_.limit, pipeline_.descending);
  answer.sample_size += texts.size();
  if (kind == Kind::histogram) answer.sample_size += groups_[group].merged;
  return put_samples(head_of(group, kind), to_points(kind, std::move(texts)), answer);
}

Result<MetricAnswer> Collector::finish() {
  MetricAnswer answer;
  VARVE_RETURN_IF_ERROR(finish_counted());
  if (const auto* how = std::get_if<Join>(&asked_.how)) return joined(*how);
  for (const Kind kind : {Kind::number, Kind::text, Kind::complex, Kind::histogram}) {
    for (const std::uint32_t group : plan_.order) {
      if (!saw(group, kind)) continue;
      VARVE_RETURN_IF_ERROR(deadline_.check());
      VARVE_RETURN_IF_ERROR(kind == Kind::number ? put_numbers(group, answer) : put_texts(group, kind, answer));
    }
  }
  if (answer.groups.empty()) {
    VARVE_ASSIGN_OR_RETURN(answer.of_nothing, of_nothing(request_, pipeline_, now_, budget_, deadline_));
  }
  return answer;
}

Result<Points> Collector::of_nothing(const Request& request, const Pipeline& query, model::Timestamp now,
                                     Budget& budget, const Deadline& deadline) {
  const auto marks = [](const aggregate::Step& step) { return std::holds_alternative<aggregate::Gaps>(step); };
  if (!query.splits.empty() || std::ranges::none_of(query.stages, marks)) return Points();
  return aggregate::run(query.stages, scope_of(request.range, now, charge_of(budget, deadline)), query.descending, {},
                        {});
}

}  // namespace varve::query
