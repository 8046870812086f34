// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/scan/scan.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/check.h"
#include "base/parallel.h"
#include "engine/cassandra/scan/stats_scan.h"

namespace varve::engine::cassandra {
namespace {

constexpr std::size_t kMembersAtOnce = 32;  // of a batch, which one thread reads
constexpr std::size_t kStatsAtOnce = 512;   // members; rows of some 100 bytes

struct Place {
  std::uint32_t group;
  std::uint16_t column;
  std::size_t series;
  std::uint32_t ttl_s;
  rollup::RetentionClasses::Number kept;  // the series
};

// Places of one part of a group, which stand side by side, as a member.
Member member_of(std::span<const Place> places, const GroupRef& group, const std::vector<bool>& counters) {
  check(
      !places.empty() && places.front().column / kSeriesPerColumnShard == places.back().column / kSeriesPerColumnShard,
      "a member is of one part");
  Member member{&group, places[0].column / kSeriesPerColumnShard, {}, {}, {}, places[0].kept};
  for (const Place& place : places) {
    member.columns.push_back(place.column);
    member.series.push_back(place.series);
    member.counter.push_back(counters[place.series]);
  }
  return member;
}

// Of members that are kept and live equally long, which stand side by side.
std::vector<std::span<const Member>> batches_of(std::span<const Member> members) {
  std::vector<std::span<const Member>> out;
  while (!members.empty()) {
    const auto alike = [&](const Member& m) {
      return m.kept == members[0].kept && m.group->cells.ttl_s == members[0].group->cells.ttl_s;
    };
    std::size_t count = 1;
    while (count < std::min(kMembersAtOnce, members.size()) && alike(members[count])) ++count;
    out.push_back(members.first(count));
    members = members.subspan(count);
  }
  return out;
}

}  // namespace

// What was found of the series.
struct Scanner::Wanted {
  std::map<std::uint32_t, GroupRef> groups;
  std::vector<bool> counters;                // of each series
  std::vector<Member> singles;               // of series that stand in one group
  std::vector<std::vector<Member>> several;  // a series each
  TimeRanges active;
  Pending pending;
};

Scanner::Scanner(const Parts& parts) : parts_(parts) {
  for (const rollup::Level& level : parts.rollups.levels) granularities_.push_back(level.width_ms);
}

Result<TimeRanges> Scanner::active(model::TenantId tenant, std::span<const model::SeriesId> series,
                                   model::TimeRange range, const RowStore::ReadLimits& limits) const {
  const auto metrics = parts_.series.directory().read([&](const index::SeriesIndex& index) {
    std::set<std::string> names;
    for (const model::SeriesId one : series) names.emplace(index.metric(one));
    return names;
  });
  TimeRanges ranges;
  for (const std::string& metric : metrics) {
    VARVE_ASSIGN_OR_RETURN(const auto buckets, parts_.series.load(tenant, metric, range, limits));
    for (const model::Timestamp bucket : buckets) ranges.push_back({bucket, bucket + kIndexBucketMs});
  }
  join(ranges);
  return ranges;
}

Result<Scanner::Wanted> Scanner::find(model::TenantId tenant, std::span<const model::SeriesId> series,
                                      const storage::ScanOptions& options) const {
  Wanted wanted;
  const Directory& directory = parts_.series.directory();
  VARVE_ASSIGN_OR_RETURN(wanted.active,
                         active(tenant, series, options.range, {options.cancelled, options.deadline_steady_ns}));
  // Before anything is read: what was acknowledged until now is found where this says.
  VARVE_ASSIGN_OR_RETURN(wanted.pending, parts_.pending.pending(tenant, options.range));

  std::vector<Place> places;
  std::map<std::size_t, std::vector<Place>> several;
  directory.read([&](const index::SeriesIndex& index) {
    std::vector<index::Place> found;
    for (std::size_t s = 0; s < series.size(); ++s) {
      wanted.counters.push_back(parts_.rollups.kind_of(index.metric(series[s])) == rollup::Kind::counter);
      if (index.series_tenant(series[s]) != tenant) continue;
      index.places(series[s], found);
      const auto kept = directory.class_of(index, series[s]);
      for (const index::Place& place : found) {
        const std::uint32_t group = model::to_int(place.group);
        (found.size() == 1 ? places : several[s]).push_back({group, place.column, s, place.ttl_s, kept});
        wanted.groups.try_emplace(group);
      }
    }
    return 0;
  });
  for (auto& [group, ref] : wanted.groups) {
    ref = group_ref(directory, model::GroupId{group});
  }
  // What is kept and lives equally long side by side: batches are made of those.
  std::ranges::sort(places, {}, [](const Place& p) { return std::tuple(p.kept, p.ttl_s, p.group, p.column); });
  for (std::span<const Place> rest(places); !rest.empty();) {
    std::size_t count = 1;
    const auto same_shard = [&](const Place& p) {
      return p.kept == rest[0].kept && p.group == rest[0].group &&
             p.column / kSeriesPerColumnShard == rest[0].column / kSeriesPerColumnShard;
    };
    while (count < rest.size() && same_shard(rest[count])) ++count;
    wanted.singles.push_back(member_of(rest.first(count), wanted.groups.at(rest[0].group), wanted.counters));
    rest = rest.subspan(count);
  }
  for (const auto& [s, list] : several) {
    std::vector<Member>& members = wanted.several.emplace_back();
    for (const Place& place : list) {
      members.push_back(member_of({&place, 1}, wanted.groups.at(place.group), wanted.counters));
    }
  }
  return wanted;
}

Status Scanner::scan(model::TenantId tenant, std::span<const model::SeriesId> series,
                     const storage::ScanOptions& options, storage::PieceSink& sink) const {
  if (series.empty() || options.range.empty()) return {};
  VARVE_ASSIGN_OR_RETURN(const Wanted wanted, find(tenant, series, options));
  const std::int64_t now_ms = parts_.clock.now_ms();
  std::map<rollup::RetentionClasses::Number, OfClass> of_classes;
  const auto scan_of = [&](std::span<const Member> members, bool merged) -> Status {
    const OfClass& own = of_classes.at(members[0].kept);
    if (own.options.range.empty()) return {};
    ScanContext context{parts_.rows,    parts_.reader, parts_.levels, granularities_, own.levels,
                        wanted.pending, wanted.active, own.options,   sink,           now_ms};
    context.samples_shown_ms = own.samples_shown_ms;
    return BatchScan(context, {members.begin(), members.end()}, merged).run();
  };
  auto batches = batches_of(wanted.singles);
  const std::size_t singles = batches.size();
  batches.insert(batches.end(), wanted.several.begin(), wanted.several.end());
  for (const auto& batch : batches) of_classes.try_emplace(batch[0].kept, of_class(batch[0].kept, options, now_ms));
  const std::size_t helpers = options.threads > 1 ? options.threads - 1 : 0;
  return in_parallel(parts_.helpers, helpers, batches.size(),
                     [&](std::size_t i) { return scan_of(batches[i], i >= singles); });
}

// Nothing older than the class is kept; and until then everything.
Scanner::OfClass Scanner::of_class(rollup::RetentionClasses::Number number, const storage::ScanOptions& options,
                                   std::int64_t now_ms) const {
  OfClass own{options, parts_.rollups.levels, parts_.samples_shown_ms};
  if (number == rollup::RetentionClasses::kNone) return own;
  own.samples_shown_ms = parts_.series.directory().classes().retention(number).raw_ms;
  for (rollup::Level& level : own.levels) level.retention_ms = own.samples_shown_ms;
  own.options.range.first = std::max(options.range.first, shared::kept_from(own.samples_shown_ms, now_ms));
  return own;
}

Result<std::vector<storage::SeriesStats>> Scanner::series_stats(model::TenantId tenant,
                                                                std::span<const model::SeriesId> series) const {
  std::vector<storage::SeriesStats> stats(series.size());
  if (series.empty()) return stats;
  VARVE_ASSIGN_OR_RETURN(const Wanted wanted, find(tenant, series, {}));
  std::vector<Member> members = wanted.singles;
  for (const auto& of_one : wanted.several) members.insert(members.end(), of_one.begin(), of_one.end());
  const StatsScanContext context{parts_.rows,    parts_.reader, parts_.levels,        granularities_,
                                 wanted.pending, wanted.active, parts_.clock.now_ms()};
  for (std::size_t first = 0; first < members.size(); first += kStatsAtOnce) {
    const std::size_t count = std::min(kStatsAtOnce, members.size() - first);
    VARVE_RETURN_IF_ERROR(StatsScan(context, std::span(members).subspan(first, count), stats).run());
  }
  // Cassandra forgets rows as a whole, and later.
  std::vector<model::Timestamp> alive(series.size(), model::kTimestampMax);
  for (const Member& member : members) {
    const std::int64_t kept_ms = parts_.series.directory().classes().retention(member.kept).raw_ms;
    const bool has_class = member.kept != rollup::RetentionClasses::kNone;
    const model::Timestamp from =
        std::max(member.alive_from(context.now_ms),
                 has_class ? shared::kept_from(kept_ms, context.now_ms) : model::kTimestampMin);
    for (const std::size_t s : member.series) alive[s] = std::min(alive[s], from);
  }
  for (std::size_t s = 0; s < stats.size(); ++s) stats[s] = stats[s].since(alive[s]);
  return stats;
}

}  // namespace varve::engine::cassandra
