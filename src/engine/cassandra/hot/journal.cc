// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/hot/journal.h"

#include <algorithm>

#include "base/log.h"
#include "engine/cassandra/tables/cell.h"
#include "engine/cassandra/tables/data_rows.h"
#include "model/time.h"

namespace varve::engine::cassandra {

using model::TenantId;
using model::Timestamp;
using tracker::Touch;

namespace {

constexpr std::size_t kReadsAtOnce = 128;  // of some ten thousand rows an hour and sixteen partitions; most have none
constexpr std::size_t kTouchesAtOnce = 4096;
constexpr Timestamp kNever = 0;
constexpr Timestamp kAhead = 0;  // stands for the hour of slots that end long after they were written

std::string partition_cell(std::uint32_t partition) { return smallint_cell(static_cast<std::int16_t>(partition)); }

}  // namespace

// --- writing

Journal::Wanted Journal::wanted(std::span<const Touch> touches, Timestamp now_ms) {
  const Timestamp hour = model::window_start(now_ms, kHourMs);
  return {written_.unknown(touches, now_ms, static_cast<std::uint64_t>(hour)), hour};
}

void Journal::add_rows(const Wanted& wanted, std::int64_t timestamp_us, std::vector<RowWrite>& rows) const {
  std::vector<Touch> touches = wanted.touches;
  std::ranges::stable_sort(touches, {}, &Touch::partition);
  for (const Touch& touch : touches) {
    const GroupName name = series_.directory().name(model::GroupId{touch.member.id});
    const Timestamp end = touch.slot + options_.slot_ms;
    const bool ahead = end > wanted.hour + model::kDayMs;
    rows.push_back({&tables_.pending_journal,
                    {partition_cell(touch.partition), timestamp_cell(ahead ? kAhead : wanted.hour)},
                    {timestamp_cell(touch.slot), series_.directory().tenant_name(name.tenant), blob_of(name.hash)},
                    {},
                    timestamp_us,
                    ahead ? ttl_left_s(end, kHotKeptMs, wanted.hour).value_or(0) : 0});
  }
}

void Journal::stand(const Wanted& wanted, Timestamp now_ms) {
  if (wanted.touches.empty()) return;
  written_.note(wanted.touches, now_ms, static_cast<std::uint64_t>(wanted.hour));
  std::map<std::pair<TenantId, Timestamp>, bool> seen;
  for (const Touch& touch : wanted.touches) {
    if (!seen.try_emplace({touch.member.tenant, touch.slot}).second) continue;
    const std::string tenant = series_.directory().tenant_name(touch.member.tenant);
    const MutexLock lock(mutex_);
    Timestamp& last = slots_[{tenant, touch.slot}];
    last = std::max({last, wanted.hour, touch.slot + options_.slot_ms});
  }
  const MutexLock lock(mutex_);
  if (std::exchange(swept_, wanted.hour) != wanted.hour) sweep(now_ms);
}

// While nobody asks, not even the trackers' answers are missing: what is older is read again when somebody does.
void Journal::sweep(Timestamp now_ms) {
  const Timestamp first = was_read_lately(now_ms) ? first_hour(now_ms) : now_ms - kKeptMs;
  std::erase_if(slots_, [first](const auto& slot) { return slot.second < first; });
}

// --- reading

Timestamp Journal::first_hour(Timestamp now_ms) const {
  return model::window_start(now_ms - kHotKeptMs - options_.quiet_ms - kClocksMs, kHourMs);
}

Status Journal::read(Timestamp first, Timestamp last, const Each& each) {
  std::vector<Timestamp> hours = {kAhead};
  for (Timestamp hour = first; hour <= last; hour += kHourMs) hours.push_back(hour);
  return read_hours(hours, each);
}

Status Journal::read_hours(std::span<const Timestamp> hours, const Each& each) {
  const std::size_t all = hours.size() * options_.partitions;
  const auto hour_of = [&](std::size_t read) { return hours[read / options_.partitions]; };
  for (std::size_t from = 0; from < all; from += kReadsAtOnce) {
    std::vector<RowRead> reads;
    for (std::size_t i = from; i < std::min(from + kReadsAtOnce, all); ++i) {
      const auto partition = static_cast<std::uint32_t>(i % options_.partitions);
      reads.push_back({&tables_.pending_journal, {partition_cell(partition), timestamp_cell(hour_of(i))}, {}, {}, {}});
    }
    std::vector<Entry> entries;
    VARVE_RETURN_IF_ERROR(rows_.read(reads, {}, [&](std::size_t number, const RowView& row) -> Status {
      Entry& entry = entries.emplace_back();
      entry.hour = hour_of(from + number);
      VARVE_ASSIGN_OR_RETURN(entry.slot, timestamp_of(row.cells[0]));
      entry.tenant = row.cells[1];
      if (!hash_of(row.cells[2], entry.hash)) return fail(Code::corrupt, "a hash in the journal has not 16 bytes");
      return {};
    }));
    if (!entries.empty()) VARVE_RETURN_IF_ERROR(each(std::move(entries)));
  }
  return {};
}

Status Journal::replay(SharedTrackers& trackers) {
  const Timestamp now = clock_.now_ms();
  const std::uint64_t unknown_before = unknown_;
  std::uint64_t count = 0;
  VARVE_RETURN_IF_ERROR(
      read(first_hour(now), model::window_start(now + kClocksMs, kHourMs), [&](std::vector<Entry> entries) {
        count += entries.size();
        return touch(entries, trackers);
      }));
  VARVE_RETURN_IF_ERROR(touch_long_rollup_blocks(trackers));
  VARVE_RETURN_IF_ERROR(others_());
  log::info("the journal was replayed", {{"entries", count}, {"unknown", unknown_ - unknown_before}});
  return {};
}

// Of groups that nobody knows there is nothing that could be sealed.
Status Journal::touch(std::span<const Entry> entries, SharedTrackers& trackers) {
  std::map<std::string, std::optional<TenantId>> tenants;
  std::vector<Loader::Named> names;
  std::vector<Timestamp> slots;
  for (const Entry& entry : entries) {
    const auto [tenant, is_new] = tenants.try_emplace(entry.tenant);
    if (is_new) {
      VARVE_ASSIGN_OR_RETURN(tenant->second, series_.loader().find_tenant(entry.tenant));
    }
    if (!tenant->second) {
      ++unknown_;
      continue;
    }
    names.emplace_back(*tenant->second, entry.hash);
    slots.push_back(entry.slot);
  }
  VARVE_ASSIGN_OR_RETURN(const auto groups, series_.loader().groups(names));
  std::vector<Touch> touches;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (!groups[i]) {
      ++unknown_;
      continue;
    }
    const std::uint32_t partition = series_.directory().name(*groups[i]).partition;
    touches.push_back({{names[i].first, model::to_int(*groups[i])}, partition, slots[i]});
  }
  std::ranges::stable_sort(touches, {}, [](const Touch& touch) { return std::pair(touch.member.tenant, touch.slot); });
  for (std::size_t at = 0; at < touches.size(); at += kTouchesAtOnce) {
    const auto part = std::span(touches).subspan(at, std::min(kTouchesAtOnce, touches.size() - at));
    VARVE_RETURN_IF_ERROR(trackers.samples().touch(part, clock_.now_ms()));
  }
  return {};
}

// What stands in the journal is sealed again, which touches shorter rollup blocks. (A day less: a rollup block may be
// touched some time after its samples were written.)
Status Journal::touch_long_rollup_blocks(SharedTrackers& trackers) {
  if (std::ranges::none_of(options_.rollup_blocks_ms, replays_all)) return {};
  std::map<std::string, std::optional<TenantId>> tenants;
  std::vector<Loader::Named> names;
  // Read first and looked up later: within the reading nothing else is read.
  VARVE_RETURN_IF_ERROR(rows_.read_all(tables_.line_groups, {}, [&](const RowView& row) -> Status {
    Hash hash;
    if (!hash_of(row.cells[1], hash)) return fail(Code::corrupt, "a hash in line_groups has not 16 bytes");
    const auto [tenant, is_new] = tenants.try_emplace(std::string(row.cells[0]));
    if (is_new) tenant->second = series_.directory().tenant(row.cells[0]);
    names.emplace_back(*tenant->second, hash);
    return {};
  }));
  const Timestamp now = clock_.now_ms();
  for (std::size_t at = 0; at < names.size(); at += kTouchesAtOnce) {
    const auto part = std::span(names).subspan(at, std::min(kTouchesAtOnce, names.size() - at));
    VARVE_ASSIGN_OR_RETURN(const auto groups, series_.loader().groups(part));
    for (std::size_t level = 0; level < options_.rollup_blocks_ms.size(); ++level) {
      const std::int64_t block_ms = options_.rollup_blocks_ms[level];
      if (!replays_all(block_ms)) continue;
      std::vector<Touch> touches;
      for (Timestamp start = model::window_start(now - kKeptMs - block_ms, block_ms); start <= now; start += block_ms) {
        for (std::size_t i = 0; i < groups.size(); ++i) {
          if (!groups[i]) continue;
          const std::uint32_t partition = series_.directory().name(*groups[i]).partition;
          touches.push_back({{part[i].first, model::to_int(*groups[i])}, partition, start});
        }
      }
      VARVE_RETURN_IF_ERROR(trackers.rollup_blocks(level).touch(touches, clock_.now_ms()));
    }
  }
  return {};
}

Result<std::vector<Timestamp>> Journal::slots(TenantId tenant, model::TimeRange range) {
  VARVE_RETURN_IF_ERROR(refresh());
  const std::string name = series_.directory().tenant_name(tenant);
  std::vector<Timestamp> out;
  const MutexLock lock(mutex_);
  for (auto at = slots_.lower_bound({name, model::kTimestampMin - options_.slot_ms}); at != slots_.end(); ++at) {
    const auto& [of, slot] = at->first;
    if (of != name || slot >= range.last) break;
    if (slot + options_.slot_ms > range.first) out.push_back(slot);
  }
  return out;
}

// One that has begun before may have missed what stands now.
Status Journal::refresh() {
  const std::uint64_t wanted = refreshes_ + 1;
  const MutexLock only_one(refreshing_);
  if (refreshed_ >= wanted) return {};
  const std::uint64_t number = ++refreshes_;
  VARVE_RETURN_IF_ERROR(read_new());
  refreshed_ = number;
  return {};
}

// The whole, then, as long as somebody asks, the hours in which something may have come.
Status Journal::read_new() {
  const Timestamp now = clock_.now_ms();
  Timestamp first = first_hour(now);
  if (was_read_lately(now)) {
    first = std::max(first, model::window_start(read_ms_ - options_.quiet_ms - kClocksMs, kHourMs));
  }
  read_ms_ = now;  // before: what is found is not swept
  const Status read_all = read(first, model::window_start(now + kClocksMs, kHourMs), [&](const auto& entries) {
    const MutexLock lock(mutex_);
    for (const Entry& entry : entries) {
      Timestamp& known = slots_[{entry.tenant, entry.slot}];
      known = std::max({known, entry.hour, entry.slot + options_.slot_ms});
    }
    return Status();
  });
  if (!read_all) read_ms_ = kNever;
  const MutexLock lock(mutex_);
  sweep(now);
  return read_all;
}

// --- dropping

Result<Journal::TenantSlots> Journal::written_in(Timestamp hour) {
  TenantSlots found;
  VARVE_RETURN_IF_ERROR(read_hours({&hour, 1}, [&](const std::vector<Entry>& entries) -> Status {
    for (const Entry& entry : entries) found[entry.tenant].insert(entry.slot);
    return {};
  }));
  return found;
}

std::vector<Timestamp> Journal::past_hours(Timestamp now_ms) const {
  std::vector<Timestamp> hours;
  const Timestamp end = now_ms - options_.quiet_ms - kClocksMs;
  for (Timestamp hour = first_hour(now_ms); hour + kHourMs <= end; hour += kHourMs) hours.push_back(hour);
  return hours;
}

Status Journal::forget_hour(Timestamp hour, std::int64_t until_us) {
  std::vector<RowDelete> gone;
  for (std::uint32_t partition = 0; partition < options_.partitions; ++partition) {
    gone.push_back({&tables_.pending_journal, {partition_cell(partition), timestamp_cell(hour)}, {}, until_us});
  }
  return rows_.erase_now(std::move(gone));
}

}  // namespace varve::engine::cassandra
