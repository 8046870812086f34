// SPDX-License-Identifier: Apache-2.0
// The directory's part in forgetting.
#include <algorithm>

#include "engine/cassandra/series/directory.h"

namespace varve::engine::cassandra {

using model::GroupId;
using model::SeriesId;
using model::TenantId;

Directory::Forgotten* Directory::forgotten(TenantId tenant, std::string_view metric, const model::TagViews& tags) {
  const auto found = forgotten_.find({tenant, std::string(metric)});
  if (found == forgotten_.end()) return nullptr;
  const auto entry = found->second.series.find(model::series_set_hash(model::series_key(metric, tags)));
  return entry == found->second.series.end() ? nullptr : &entry->second;
}

Directory::Forgotten* Directory::forgotten(SeriesId series) {
  const auto tenant = index_.series_tenant(series);
  const std::string_view metric = index_.metric(series);
  if (!forgotten_.contains({tenant, std::string(metric)})) return nullptr;
  model::TagViews tags;
  index_.tags(series, tags);
  return forgotten(tenant, metric, tags);
}

bool Directory::is_late(GroupId group, std::int64_t seen_us) {
  return std::ranges::any_of(index_.group_series(group), [&](SeriesId series) VARVE_REQUIRES(mutex_) {
    const Forgotten* const gone = forgotten(series);
    return gone != nullptr && gone->at_us >= seen_us;
  });
}

// Finding the series by their hashes takes a look at all of the metric, so that is not done while everybody waits. What
// is defined or announced in between finds the entry and decides for itself.
bool Directory::add_forgotten(TenantId tenant, const std::string& metric,
                              std::span<const std::pair<Hash, std::int64_t>> rows, std::int64_t slack_us) {
  bool news = false;
  {
    const MutexLock lock(mutex_);
    for (const auto& [hash, at_us] : rows) {
      Forgotten& entry = forgotten_[{tenant, metric}].series[hash];
      if (entry.at_us >= at_us) continue;
      entry = {at_us, true};
      news = true;
    }
    if (!news) return false;
    ++forgotten_[{tenant, metric}].generation;
  }
  std::vector<SeriesId> known;
  bool announces = false;
  {
    const ReaderLock lock(mutex_);
    const MetricForgotten& gone = forgotten_.at({tenant, metric});
    std::vector<GroupId> groups;
    model::TagViews tags;
    const auto series = index_.select(tenant, metric, {});
    for (const SeriesId one : series ? *series : std::vector<SeriesId>{}) {
      index_.tags(one, tags);
      const auto entry = gone.series.find(model::series_set_hash(model::series_key(metric, tags)));
      if (entry != gone.series.end() && entry->second.hidden) {
        known.push_back(one);
        continue;
      }
      if (announces) continue;
      index_.groups(one, groups);
      announces = std::ranges::any_of(
          groups, [&](GroupId group) VARVE_REQUIRES_SHARED(mutex_) { return groups_.is_announced(group); });
    }
  }
  const MutexLock lock(mutex_);
  // Who forgets the last series of a metric takes its name away, too.
  if (announces) again_.metrics.emplace_back(tenant, metric);
  for (const SeriesId one : known) {
    Forgotten* const entry = forgotten(one);
    if (entry != nullptr && entry->hidden) hide(one, *entry, slack_us);
  }
  drop_definitions();
  return true;
}

void Directory::hide(SeriesId series, Forgotten& gone, std::int64_t slack_us) {
  std::vector<GroupId> groups;
  index_.groups(series, groups);
  for (const GroupId group : groups) {
    std::vector<GroupBucket> dropped;
    if (groups_.drop(group, gone.at_us, dropped)) gone.hidden = false;
    if (dropped.empty() || groups_[group].written_us < gone.at_us - slack_us) continue;
    again_.groups.insert(again_.groups.end(), dropped.begin(), dropped.end());
    gone.hidden = false;
  }
  if (gone.hidden) index_.forget({&series, 1}, definitions_);
}

Again Directory::take_again() {
  const MutexLock lock(mutex_);
  return std::exchange(again_, {});
}

void Directory::give_again(Again again) {
  const MutexLock lock(mutex_);
  again_.groups.insert(again_.groups.end(), again.groups.begin(), again.groups.end());
  std::ranges::move(again.metrics, std::back_inserter(again_.metrics));
}

std::size_t Directory::generation(TenantId tenant, const std::string& metric) const {
  const ReaderLock lock(mutex_);
  const auto found = forgotten_.find({tenant, metric});
  return found == forgotten_.end() ? 0 : found->second.generation;
}

}  // namespace varve::engine::cassandra
