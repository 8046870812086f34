// SPDX-License-Identifier: Apache-2.0
// Reclaiming: the room of samples whose time to live, or that of the class of their series, is over. Nobody reads them
// any more (scan/scan.h); whatever merges the runs of a slot leaves out groups of which the whole slot is over, and so
// do windows of series all of whose groups are. Slots that have nothing to merge are written again for it.
//
// When is a slot looked at? Once for each time to live and class that its tenant has, a day at the latest after the
// slot's end has become older than that: a look takes those that have since the last one, until when is in the
// database. So a slot is read as often as there are different times to live, however many groups have them. What is put
// so late that its slot was looked at already goes with raw.retention.
//
// A group may share series with others, whose windows are made of both: then it stays open in the slot's mark, and the
// windows are made again without it.
#include <algorithm>
#include <set>

#include "base/log.h"
#include "base/sort_unique.h"
#include "engine/rocksdb/jobs.h"
#include "engine/rocksdb/runs/level_slots.h"
#include "engine/rocksdb/runs/run_reader.h"
#include "engine/rocksdb/runs/stored_time.h"
#include "engine/shared/stored_for.h"
#include "model/time.h"
#include "rollup/columns.h"

namespace varve::engine::rocksdb {
namespace {

model::Timestamp end_of(const SlotKey& slot, std::int64_t chunk_width_ms) {
  if (slot.is_raw()) return slot.raw_range(chunk_width_ms).last;
  return slot.start + level_slot_width_ms(slot.granularity_ms, chunk_width_ms);
}

// When all of a class is over, of each.
std::vector<std::int64_t> times_of_classes(const Env& env) {
  std::vector<std::int64_t> times;
  if (env.classes.empty()) return times;
  for (std::size_t number = 1; number <= env.options.retention_classes.size(); ++number) {
    times.push_back(env.classes.retention(static_cast<rollup::RetentionClasses::Number>(number)).longest_ms());
  }
  times.push_back(env.longest_ms(env.classes.retention(rollup::RetentionClasses::kNone)));
  sort_unique(times);
  return times;
}

}  // namespace

Status Reclaim::recover() {
  VARVE_ASSIGN_OR_RETURN(const auto stored, stored_time(job_.tables.database(), kReclaimedKey));
  VARVE_ASSIGN_OR_RETURN(const auto print, stored_time(job_.tables.database(), kReclaimedForKey));
  // Other classes than then: all slots are looked at for them.
  is_noted_ = print.value_or(0) == job_.env.classes.fingerprint();
  if (stored && is_noted_) done_ms_ = *stored;
  if (stored && !is_noted_) {
    log::info("retention.classes has changed: every slot is looked at for series that it lets go sooner",
              {{"classes", job_.env.options.retention_classes.size()}});
  }
  return {};
}

// What was put after the clock was ahead is looked at in its time, too.
void Reclaim::go_back_with_clock() { done_ms_ = std::min(done_ms_, job_.env.expiry.now_ms()); }

bool is_class_over(const Env& env, const Catalog& catalog, model::SeriesId series, model::Timestamp end,
                   std::int64_t now_ms) {
  if (!catalog.retentions.any()) return false;
  const auto number = catalog.retentions.class_of(catalog.index, series);
  const rollup::Retention& kept = env.classes.retention(number);
  return shared::is_over(end, number == rollup::RetentionClasses::kNone ? env.longest_ms(kept) : kept.longest_ms(),
                         now_ms);
}

bool is_class_over(const JobContext& job, const SlotKey& slot, std::uint32_t group, std::int64_t now_ms) {
  if (!job.catalog.retentions.any()) return false;
  const model::Timestamp end = end_of(slot, job.env.chunk_width_ms);
  const auto is_over = [&](model::SeriesId series) VARVE_REQUIRES_SHARED(job.catalog.mutex) {
    return is_class_over(job.env, job.catalog, series, end, now_ms);
  };
  if (!slot.is_raw()) return is_over(model::SeriesId{group / 2});  // rollup/columns.h
  const auto series = job.catalog.index.group_series(model::GroupId{group});
  return !series.empty() && std::ranges::all_of(series, is_over);
}

// Of all samples of the slot that are this group's, or windows that are of its series.
bool is_expired(const JobContext& job, const SlotKey& slot, std::uint32_t group, std::int64_t now_ms) {
  const model::Timestamp end = end_of(slot, job.env.chunk_width_ms);
  if (slot.is_raw()) return shared::is_ttl_over(end, job.catalog.index.group_ttl_s(model::GroupId{group}), now_ms);
  std::vector<index::Place> places;
  job.catalog.index.places(model::SeriesId{group / 2}, places);  // rollup/columns.h
  return std::ranges::all_of(places,
                             [&](const index::Place& place) { return shared::is_ttl_over(end, place.ttl_s, now_ms); });
}

std::size_t Reclaim::mortal_groups() const {
  const ReaderLock lock(job_.catalog.mutex);
  return job_.catalog.index.mortal_group_count();
}

std::uint32_t Reclaim::shortest_ttl_s(std::size_t groups) {
  if (groups < looked_) looked_ = 0;  // some were forgotten
  if (looked_ == 0) shortest_s_ = UINT32_MAX;
  const Catalog& catalog = job_.catalog;
  for_each_in_pieces(catalog.mutex, groups - looked_, [&](std::size_t n) VARVE_REQUIRES_SHARED(catalog.mutex) {
    const model::GroupId group = catalog.index.mortal_group(looked_ + n);
    shortest_s_ = std::min(shortest_s_, catalog.index.group_ttl_s(group));
  });
  looked_ = groups;
  return shortest_s_;
}

// Whose times to live have become over since the last look.
void Reclaim::find_slots() {
  go_back_with_clock();
  const std::int64_t now = job_.env.expiry.now_ms();
  std::map<model::TenantId, std::set<std::uint32_t>> ttls;
  const std::vector<std::int64_t> class_times = times_of_classes(job_.env);
  const Catalog& catalog = job_.catalog;
  for_each_in_pieces(catalog.mutex, mortal_groups(), [&](std::size_t n) VARVE_REQUIRES_SHARED(catalog.mutex) {
    const model::GroupId group = catalog.index.mortal_group(n);
    ttls[catalog.index.group_tenant(group)].insert(catalog.index.group_ttl_s(group));
  });
  slots_.clear();
  until_ms_ = now;
  const auto current = job_.tables.runs();
  for (const auto& [slot, of_slot] : current->slots) {
    if (of_slot.runs.empty()) continue;
    const model::Timestamp end = end_of(slot, job_.env.chunk_width_ms);
    const auto known = ttls.find(slot.tenant);
    const bool of_ttl = known != ttls.end() && std::ranges::any_of(known->second, [&](std::uint32_t ttl_s) {
                          return shared::is_ttl_over(end, ttl_s, now) && !shared::is_ttl_over(end, ttl_s, done_ms_);
                        });
    // Where all series of a tenant are kept for one time, its slots go as a whole.
    const bool of_class = !of_ttl && job_.catalog.keeps_differently(slot.tenant) &&
                          std::ranges::any_of(class_times, [&](std::int64_t time_ms) {
                            return shared::is_over(end, time_ms, now) && !shared::is_over(end, time_ms, done_ms_);
                          });
    if (of_ttl || of_class) slots_.push_back(slot);
  }
  job_.tables.note_emptied();
}

bool Reclaim::due() {
  if (!slots_.empty()) return true;
  go_back_with_clock();
  const std::int64_t since_ms = job_.env.expiry.now_ms() - done_ms_;
  if (since_ms < model::kHourMs) return false;
  const std::size_t groups = mortal_groups();
  if (groups == 0 && !job_.catalog.retentions.any()) return false;
  if (since_ms >= model::kDayMs) return true;
  return std::int64_t{shortest_ttl_s(groups)} * 1000 <= since_ms ||
         (job_.catalog.retentions.any() && job_.env.classes.shortest().raw_ms <= since_ms);
}

Status Reclaim::some() {
  if (slots_.empty()) find_slots();
  if (!slots_.empty()) {
    const SlotKey slot = slots_.back();
    if (!job_.set_aside.holds(slot, kMergeOfSlot)) {
      VARVE_ASSIGN_OR_RETURN(const bool holds, holds_expired(slot));
      if (holds) VARVE_RETURN_IF_ERROR(merge(job_, {&slot, 1}, true));
    }
    slots_.pop_back();
  }
  if (!slots_.empty()) return {};
  VARVE_RETURN_IF_ERROR(job_.env.step("reclaim.done"));
  VARVE_RETURN_IF_ERROR(store_time_in(job_.tables.database(), kReclaimedKey, until_ms_));
  done_ms_ = until_ms_;
  if (is_noted_) return {};
  VARVE_RETURN_IF_ERROR(store_time_in(job_.tables.database(), kReclaimedForKey, job_.env.classes.fingerprint()));
  is_noted_ = true;
  return {};
}

Status Reclaim::all() {
  if (mortal_groups() == 0 && !job_.catalog.retentions.any()) return {};
  if (slots_.empty()) find_slots();
  do {
    VARVE_RETURN_IF_ERROR(some());
  } while (!slots_.empty());
  return {};
}

// Groups of the slot's tenant, or of its rollup groups, of which all is over in the slot; and those that have left the
// index since their last sample was over, whose slot was not then (leave_out.h).
void Reclaim::add_class_over(const SlotKey& slot, std::int64_t now_ms, std::vector<std::uint32_t>& groups) const {
  std::size_t count = 0;
  {
    const ReaderLock lock(job_.catalog.mutex);
    count = slot.is_raw() ? job_.catalog.index.group_count() : job_.catalog.index.series_end();
  }
  for_each_in_pieces(job_.catalog.mutex, count, [&](std::size_t n) VARVE_REQUIRES_SHARED(job_.catalog.mutex) {
    const auto number = static_cast<std::uint32_t>(n);
    if (slot.is_raw()) {
      const model::TenantId tenant = job_.catalog.index.group_tenant(model::GroupId{number});
      const bool is_over = tenant == slot.tenant && is_class_over(job_, slot, number, now_ms);
      if (is_over || tenant == model::kNoTenant) groups.push_back(number);
      return;
    }
    const model::SeriesId series{number};
    const model::TenantId tenant = job_.catalog.index.series_tenant(series);
    const bool is_over = tenant == slot.tenant && is_class_over(job_, slot, rollup::number_group(series), now_ms);
    if (!is_over && tenant != model::kNoTenant) return;
    groups.insert(groups.end(), {rollup::number_group(series), rollup::text_group(series)});
  });
}

Result<bool> Reclaim::holds_expired(const SlotKey& slot) {
  const auto current = job_.tables.runs();
  const auto known = current->slots.find(slot);
  if (known == current->slots.end()) return false;
  const std::int64_t now = job_.env.expiry.now_ms();
  std::vector<std::uint32_t> expired;
  for_each_in_pieces(job_.catalog.mutex, mortal_groups(), [&](std::size_t n) VARVE_REQUIRES_SHARED(job_.catalog.mutex) {
    const model::GroupId group = job_.catalog.index.mortal_group(n);
    if (job_.catalog.index.group_tenant(group) != slot.tenant) return;
    if (slot.is_raw()) {
      if (is_expired(job_, slot, model::to_int(group), now)) expired.push_back(model::to_int(group));
      return;
    }
    for (const model::SeriesId series : job_.catalog.index.group_series(group)) {
      if (!is_expired(job_, slot, rollup::number_group(series), now)) continue;
      expired.insert(expired.end(), {rollup::number_group(series), rollup::text_group(series)});
    }
  });
  if (job_.catalog.keeps_differently(slot.tenant)) add_class_over(slot, now, expired);
  sort_unique(expired);
  const View nothing{nullptr, nullptr, current, nullptr};
  const ScanSource source = job_.tables.source(nothing, slot.tenant);
  auto found = any_holds(source, known->second.runs, expired, model::kAllTime);
  // A damaged one is set aside by who merges it.
  if (!found && found.error().code == Code::corrupt) return true;
  return found;
}

}  // namespace varve::engine::rocksdb
