// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/settle/redis_trackers.h"

#include <utility>

#include "engine/cassandra/tables/schema.h"

namespace varve::engine::cassandra {

RedisTrackers::RedisTrackers(const tracker::TrackerOptions& options, const std::vector<Unit>& units,
                             tracker::redis::Link& link, tracker::redis::MemberNames& names)
    : link_(link), samples_(options, link, names) {
  for (const Unit& unit : units) {
    tracker::TrackerOptions of_units = options;
    of_units.width_ms = unit.unit_ms;
    units_.emplace_back(of_units, link, names, "units|" + width_name(unit.width_ms) + "|");
  }
}

void RedisTrackers::touch(std::span<const tracker::Touch> touches, model::Timestamp now_ms, Done done) {
  samples_.touch(touches, now_ms, [done = std::move(done)](Result<void> status) {
    if (!status) return done(fail(status.error()));
    done({});
  });
}

}  // namespace varve::engine::cassandra
