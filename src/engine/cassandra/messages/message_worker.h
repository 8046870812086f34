// SPDX-License-Identifier: Apache-2.0
// Message worker: seals what the tracker of messages says is due, and drops what is sealed.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "engine/cassandra/messages/message_sealer.h"
#include "engine/cassandra/messages/message_touches.h"
#include "storage/sample_store.h"
#include "storage/slot_store.h"

namespace varve::engine::cassandra {

class MessageWorker {
 public:
  // `clock`: the one that all replicas share.
  MessageWorker(const MessageTables& rows, const MessageSealer& sealer, MessageTouches& touches,
                const SeriesTables& series, const Clock& clock)
      : rows_(rows), sealer_(sealer), touches_(touches), series_(series), clock_(clock) {}

  using Alive = std::function<bool()>;  // asked between pieces of work
  // What is due in this partition of the tracker. Errors: those of the tracker and the store; the next turn goes on.
  Status seal(std::uint32_t partition, tracker::When when, const Alive& alive, storage::SettleReport& report);

  // Once every five minutes, or twelve times a slot: drop(). For one thread.
  Status drop_when_due(const Alive& alive);
  // Drops what can be of all that the directory names, and touches what has to be sealed again before.
  Status drop(const Alive& alive);

  [[nodiscard]] Result<tracker::Counts> counts() { return touches_.tracker().counts(); }
  [[nodiscard]] std::uint64_t sealed() const { return sealed_; }
  // Slots of the tenant that are pending, ascending.
  [[nodiscard]] Result<std::vector<model::Timestamp>> pending_slots(model::TenantId tenant) {
    return touches_.tracker().pending_slots(tenant, {});
  }
  [[nodiscard]] Result<std::vector<storage::SetAsideWork>> set_aside() const;

 private:
  Status seal_one(const tracker::Due& due, storage::SettleReport& report);
  // nullopt: the time of all of it is over.
  Result<std::optional<MessageSealer::Report>> seal_owners(const tracker::Due& due);
  Status set_aside(const tracker::Due& due, const Error& error);

  const MessageTables& rows_;
  const MessageSealer& sealer_;
  MessageTouches& touches_;
  const SeriesTables& series_;
  const Clock& clock_;
  std::atomic<std::uint64_t> sealed_ = 0;
  std::int64_t dropped_ns_ = 0;  // when that began last; 0: never
  mutable Mutex mutex_;
  using Key = std::pair<tracker::Member, model::Timestamp>;
  std::map<Key, std::string> errors_ VARVE_GUARDED_BY(mutex_);  // of what this process set aside
};

}  // namespace varve::engine::cassandra
