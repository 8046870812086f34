// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/hot/pending_trackers.h"

#include <algorithm>
#include <iterator>
#include <memory>

#include "base/check.h"

namespace varve::engine::cassandra {

using model::TimeRange;
using model::Timestamp;

namespace {

void add(std::vector<Timestamp>& to, const std::vector<Timestamp>& from) {
  std::vector<Timestamp> all;
  std::ranges::set_union(to, from, std::back_inserter(all));
  to = std::move(all);
}

}  // namespace

PendingTrackers::PendingTrackers(Options options, SharedTrackers& shared, Journal& journal, Alarms& alarms)
    : options_(std::move(options)),
      shared_(shared),
      journal_(journal),
      alarms_(alarms),
      samples_(shared.samples(), options_.quiet_ms, options_.touches_max, [&shared] { return shared.version(); }) {}

void PendingTrackers::touch(std::span<const tracker::Touch> touches, Timestamp now_ms, SharedTrackers::Done done) {
  auto wanted = std::make_shared<tracker::CoalescingTracker::Wanted>(samples_.wanted(touches, now_ms));
  if (wanted->touches.empty()) return done({});
  const std::span<const tracker::Touch> list(wanted->touches);
  shared_.touch(list, now_ms, [this, wanted = std::move(wanted), now_ms, done = std::move(done)](Status status) {
    if (status) samples_.touched(*wanted, now_ms);
    done(std::move(status));
  });
}

Result<Pending> PendingTrackers::ask(model::TenantId tenant, TimeRange range) {
  VARVE_ASSIGN_OR_RETURN(auto lists, shared_.pending_slots(tenant, range));
  check(lists.size() == levels() + 1, "a list of slots, and one of units for each granularity");
  Pending pending{std::move(lists[0]), {}};
  pending.units.assign(std::make_move_iterator(lists.begin() + 1), std::make_move_iterator(lists.end()));
  return pending;
}

Result<Pending> PendingTrackers::pending(model::TenantId tenant, TimeRange range) {
  VARVE_ASSIGN_OR_RETURN(const bool alarmed, alarms_.any());
  auto asked = ask(tenant, range);
  if (asked && !alarmed) return asked;
  if (!asked && asked.error().code != Code::unavailable) return asked;
  Pending pending = asked ? std::move(*asked) : Pending{{}, std::vector<std::vector<Timestamp>>(levels())};
  VARVE_RETURN_IF_ERROR(add_journal(tenant, range, pending));
  return pending;
}

Status PendingTrackers::add_journal(model::TenantId tenant, TimeRange range, Pending& pending) {
  VARVE_ASSIGN_OR_RETURN(const auto written, journal_.slots(tenant, {}));
  std::vector<Timestamp> slots;
  std::ranges::copy_if(written, std::back_inserter(slots),
                       [&](Timestamp slot) { return range.overlaps({slot, slot + options_.slot_ms}); });
  add(pending.slots, slots);
  const Timestamp now = shared_.clock().now_ms();
  for (std::size_t level = 0; level < levels(); ++level) {
    const std::int64_t unit = unit_ms(level);
    std::vector<Timestamp> units;
    for (const Timestamp slot : written) units.push_back(model::window_start(slot, unit));
    // Those that are not quiet yet, as far as anybody has samples of the future.
    for (Timestamp start = model::window_start(now - options_.quiet_ms, unit); start <= model::window_start(now, unit);
         start += unit) {
      units.push_back(start);
    }
    std::ranges::sort(units);
    units.erase(std::ranges::unique(units).begin(), units.end());
    std::erase_if(units, [&](Timestamp start) { return !range.overlaps({start, start + unit}); });
    add(pending.units[level], units);
  }
  return {};
}

}  // namespace varve::engine::cassandra
