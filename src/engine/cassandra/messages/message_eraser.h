// SPDX-License-Identifier: Apache-2.0
// Message eraser: deletes messages (docs/decisions/0042). Of each slot:
//
//   read and count what goes → a mark that says so stands → the slot is sealed without it
//
// With the mark the messages are gone for every query that starts later, whatever is sealed meanwhile by whom; sealing
// takes the bytes away, and spares queries the looking.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/regex.h"
#include "engine/cassandra/messages/erase_mark.h"
#include "engine/cassandra/messages/message_sealer.h"
#include "engine/cassandra/messages/message_tables.h"
#include "engine/cassandra/messages/message_touches.h"
#include "engine/cassandra/tables/write_versions.h"
#include "storage/go_on.h"

namespace varve::engine::cassandra {

// Thread-safe: one delete at a time.
class MessageEraser {
 public:
  // Does a step, again where a server did not answer in time.
  using Patiently = std::function<Status(const std::function<Status()>& step)>;
  // `clock`: the one that all replicas share.
  MessageEraser(Patiently patiently, const MessageTables& messages, RowStore& rows, WriteVersions& versions,
                const MessageSealer& sealer, MessageTouches& touches, const Clock& clock)
      : patiently_(std::move(patiently)),
        messages_(messages),
        rows_(rows),
        versions_(versions),
        sealer_(sealer),
        touches_(touches),
        clock_(clock) {}

  // As MessageStore::delete_messages(). What is under way to another replica meanwhile may go with it.
  Result<std::uint64_t> erase(std::string_view tenant, std::int64_t first_us, std::int64_t last_us,
                              const message::Condition& condition, const storage::GoOn& go_on);

 private:
  // Of one owner (message_owner.h), as are those that are called tenants below.
  Result<std::uint64_t> erase_of(const std::string& owner, const EraseMark& wanted, const storage::GoOn& go_on)
      VARVE_REQUIRES(erasing_);
  // `meter`: lives while it is evaluated what the mark wants.
  Result<std::uint64_t> mark(std::string_view tenant, const SlotMessages& slot, const EraseMark& wanted,
                             const RegexMeter& meter);
  Status seal(std::string_view tenant, model::Timestamp slot);

  const Patiently patiently_;
  const MessageTables& messages_;
  RowStore& rows_;
  WriteVersions& versions_;
  const MessageSealer& sealer_;
  MessageTouches& touches_;
  const Clock& clock_;
  Mutex erasing_;  // so that two of this process do not count the same message
};

}  // namespace varve::engine::cassandra
