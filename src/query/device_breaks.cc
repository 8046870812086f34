// SPDX-License-Identifier: Apache-2.0
#include "query/device_breaks.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "counter/breaks.h"
#include "query/number_runs.h"

namespace varve::query {

namespace {

// Values of tags, in the order of their keys there.
using TagValues = std::vector<std::string>;

using FindBreaks = std::vector<model::Timestamp> (*)(std::span<const model::Timestamp>, std::span<const double>);

// A metric of devices, and how its samples are read.
struct Teller {
  std::string_view metric;
  std::span<const std::string_view> tags;
  FindBreaks find;
};
constexpr Teller kTellers[] = {{counter::kUptimeMetric, counter::kUptimeTags, counter::restarts},
                               {counter::kDiscontinuityMetric, counter::kDiscontinuityTags, counter::changes}};

// By the values of the teller's tags. Only those that are in `wanted`.
using BreaksByTags = std::map<TagValues, std::vector<model::Timestamp>>;

Result<BreaksByTags> breaks_told(const Teller& teller, const std::set<TagValues>& wanted, const CounterSources& sources,
                                 model::TimeRange range, const Deadline& deadline, const Limits& limits,
                                 Budget& budget) {
  index::Matcher devices{std::string(teller.tags[0]), index::Matcher::Kind::any_of, {}};
  for (const TagValues& values : wanted) {
    if (devices.values.empty() || devices.values.back() != values[0]) devices.values.push_back(values[0]);
  }
  VARVE_ASSIGN_OR_RETURN(
      auto found, sources.series.select(sources.tenant, teller.metric, {devices}, range, still_wanted(deadline)));
  const auto tags = sources.series.tags(sources.tenant, found);
  std::vector<model::SeriesId> series;
  std::vector<TagValues> names;
  for (std::size_t i = 0; i < found.size(); ++i) {
    TagValues values;
    for (const std::string_view key : teller.tags) {
      const auto at = std::ranges::find(tags[i], key, &std::pair<std::string, std::string>::first);
      values.push_back(at == tags[i].end() ? std::string() : at->second);
    }
    if (!wanted.contains(values)) continue;
    series.push_back(found[i]);
    names.push_back(std::move(values));
  }
  NumberRuns runs(series.size(), budget);
  VARVE_RETURN_IF_ERROR(
      sources.samples.scan(sources.tenant, series, deadline.options(range, threads_for(series.size(), limits)), runs));
  BreaksByTags out;
  for (std::size_t i = 0; i < series.size(); ++i) {
    const Run run = runs.take(i);
    std::vector<double> values(run.size());
    for (std::size_t k = 0; k < run.size(); ++k) values[k] = run.number(k);
    // Series with more tags may tell of the same interface.
    auto& breaks = out[names[i]];
    std::ranges::copy(teller.find(run.times, values), std::back_inserter(breaks));
    budget.release(query::bytes_of(run));
    VARVE_RETURN_IF_ERROR(budget.charge(breaks.size() * sizeof(model::Timestamp)));
  }
  return out;
}

}  // namespace

bool has_device_breaks(std::string_view metric) {
  return metric.starts_with(counter::kDevicePrefix) && metric != counter::kUptimeMetric &&
         metric != counter::kDiscontinuityMetric;
}

Result<std::vector<std::vector<model::Timestamp>>> read_device_breaks(const CounterSources& sources, const Plan& plan,
                                                                      std::span<const std::size_t> wanted,
                                                                      model::TimeRange range, const Deadline& deadline,
                                                                      const Limits& limits, Budget& budget) {
  std::vector<std::vector<model::Timestamp>> out(wanted.size());
  for (const Teller& teller : kTellers) {
    std::vector<TagValues> names;
    for (const std::size_t s : wanted) {
      TagValues& values = names.emplace_back();
      for (const std::string_view key : teller.tags) values.emplace_back(plan.tags.value(s, key));
    }
    const std::set<TagValues> distinct(names.begin(), names.end());
    VARVE_ASSIGN_OR_RETURN(const BreaksByTags told,
                           breaks_told(teller, distinct, sources, range, deadline, limits, budget));
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const auto at = told.find(names[i]);
      if (at != told.end()) std::ranges::copy(at->second, std::back_inserter(out[i]));
    }
  }
  for (auto& breaks : out) std::ranges::sort(breaks);
  return out;
}

}  // namespace varve::query
