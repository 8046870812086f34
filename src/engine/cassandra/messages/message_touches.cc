// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/messages/message_touches.h"

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "engine/cassandra/messages/message_owner.h"
#include "tracker/partition.h"

namespace varve::engine::cassandra {

using tracker::Touch;

MessageTouches::MessageTouches(const Options& options, SharedTrackers& shared, SeriesTables& series,
                               const MessageTables& rows)
    : options_(options),
      shared_(shared),
      series_(series),
      rows_(rows),
      tracker_(shared.messages(), options.quiet_ms, options.touches_max, [&shared] { return shared.version(); }) {}

Result<std::vector<Touch>> MessageTouches::touches_of(std::string_view tenant,
                                                      const std::set<model::Timestamp>& slots) const {
  tenant = tenant_of_owner(tenant);
  VARVE_ASSIGN_OR_RETURN(const model::TenantId id, series_.tenant(tenant));
  const std::uint32_t partition = tracker::partition_of(tenant, model::SeriesSetHash{}, options_.partitions);
  std::vector<Touch> out;
  out.reserve(slots.size());
  for (const model::Timestamp slot : slots) out.push_back({{id, kMessagesMember}, partition, slot});
  return out;
}

void MessageTouches::touch(std::span<const Touch> touches, model::Timestamp now_ms, SharedTrackers::Done done) {
  auto wanted = std::make_shared<tracker::CoalescingTracker::Wanted>(tracker_.wanted(touches, now_ms));
  if (wanted->touches.empty()) return done({});
  const std::span<const Touch> list(wanted->touches);
  shared_.touch_messages(list, now_ms,
                         [this, wanted = std::move(wanted), now_ms, done = std::move(done)](Status status) {
                           if (status) tracker_.touched(*wanted, now_ms);
                           done(std::move(status));
                         });
}

Status MessageTouches::replay() {
  std::map<std::string, std::set<model::Timestamp>, std::less<>> found;
  VARVE_RETURN_IF_ERROR(
      rows_.all_buckets([&](std::string_view tenant, model::Timestamp slot, const HotBucket&) -> Status {
        found[std::string(tenant)].insert(slot);
        return {};
      }));
  for (const auto& [tenant, slots] : found) {
    VARVE_ASSIGN_OR_RETURN(const auto touches, touches_of(tenant, slots));
    VARVE_RETURN_IF_ERROR(shared_.messages().touch(touches, shared_.clock().now_ms()));
  }
  return {};
}

}  // namespace varve::engine::cassandra
