// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/settle/redis_trackers.h"

#include <utility>

#include "engine/cassandra/tables/schema.h"

namespace varve::engine::cassandra {

RedisTrackers::RedisTrackers(const tracker::TrackerOptions& options, const std::vector<Rollup>& rollups,
                             tracker::redis::Link& link, tracker::redis::MemberNames& names)
    : link_(link),
      samples_(options, link, names),
      days_(of_days(options), link, names, "days|"),
      messages_(options, link, names, "messages|"),
      sequence_(link) {
  for (const Rollup& rollup : rollups) {
    tracker::TrackerOptions of_blocks = options;
    of_blocks.width_ms = rollup.rollup_block_ms;
    rollup_blocks_.emplace_back(of_blocks, link, names, "units|" + width_name(rollup.width_ms) + "|");
  }
}

Result<std::vector<std::vector<model::Timestamp>>> RedisTrackers::pending_slots(model::TenantId tenant,
                                                                                model::TimeRange range) {
  tracker::redis::Question question = link_.question();
  samples_.ask_pending_slots(question, tenant);
  for (const auto& blocks : rollup_blocks_) blocks.ask_pending_slots(question, tenant);
  VARVE_ASSIGN_OR_RETURN(const tracker::redis::Answer answer, link_.run_trusted(question));
  std::vector<std::vector<model::Timestamp>> lists{samples_.read_pending_slots(answer[0], range)};
  for (std::size_t level = 0; level < rollup_blocks_.size(); ++level) {
    lists.push_back(rollup_blocks_[level].read_pending_slots(answer[level + 1], range));
  }
  return lists;
}

void RedisTrackers::touch_messages(std::span<const tracker::Touch> touches, model::Timestamp now_ms, Done done) {
  messages_.touch(touches, now_ms, [done = std::move(done)](Result<void> status) {
    if (!status) return done(fail(status.error()));
    done({});
  });
}

void RedisTrackers::touch(std::span<const tracker::Touch> touches, model::Timestamp now_ms, Done done) {
  samples_.touch(touches, now_ms, [done = std::move(done)](Result<void> status) {
    if (!status) return done(fail(status.error()));
    done({});
  });
}

}  // namespace varve::engine::cassandra
