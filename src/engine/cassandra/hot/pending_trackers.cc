// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/hot/pending_trackers.h"

#include <algorithm>
#include <iterator>
#include <memory>

#include "base/check.h"
#include "base/sort_unique.h"
#include "engine/shared/sorted_union.h"

namespace varve::engine::cassandra {

using model::TimeRange;
using model::Timestamp;

PendingTrackers::PendingTrackers(Options options, SharedTrackers& shared, Journal& journal,
                                 MissedTouches& missed_touches)
    : options_(std::move(options)),
      shared_(shared),
      journal_(journal),
      missed_touches_(missed_touches),
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
  check(lists.size() == levels() + 1, "a list of slots, and one of rollup blocks for each granularity");
  Pending pending{std::move(lists[0]), {}};
  pending.rollup_blocks.assign(std::make_move_iterator(lists.begin() + 1), std::make_move_iterator(lists.end()));
  return pending;
}

Result<Pending> PendingTrackers::pending(model::TenantId tenant, TimeRange range) {
  VARVE_ASSIGN_OR_RETURN(const bool missed, missed_touches_.any());
  auto asked = ask(tenant, range);
  if (asked && !missed) return asked;
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
  check(pending.rollup_blocks.size() == levels(), "a list for each granularity");
  shared::add_sorted(pending.slots, slots);
  const Timestamp now = shared_.clock().now_ms();
  for (std::size_t level = 0; level < levels(); ++level) {
    const std::int64_t block_ms = rollup_block_ms(level);
    std::vector<Timestamp> blocks;
    for (const Timestamp slot : written) blocks.push_back(model::window_start(slot, block_ms));
    // Those that are not quiet yet, as far as anybody has samples of the future.
    for (Timestamp start = model::window_start(now - options_.quiet_ms, block_ms);
         start <= model::window_start(now, block_ms); start += block_ms) {
      blocks.push_back(start);
    }
    sort_unique(blocks);
    std::erase_if(blocks, [&](Timestamp start) { return !range.overlaps({start, start + block_ms}); });
    shared::add_sorted(pending.rollup_blocks[level], blocks);
  }
  return {};
}

}  // namespace varve::engine::cassandra
