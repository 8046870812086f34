// SPDX-License-Identifier: Apache-2.0
// Message touches: the slots of messages in the shared tracker of messages. A tenant is one member of it: its slots are
// sealed by who owns its partition. The directory of hot buckets (message_tables.h) is its journal: what it names may
// have to be sealed.
#pragma once

#include <cstdint>
#include <set>
#include <string_view>
#include <vector>

#include "engine/cassandra/hot/shared_trackers.h"
#include "engine/cassandra/messages/message_tables.h"
#include "engine/cassandra/series/series_tables.h"
#include "tracker/coalescing.h"

namespace varve::engine::cassandra {

// Thread-safe.
class MessageTouches {
 public:
  struct Options {
    std::int64_t quiet_ms = 300'000;
    std::uint32_t partitions = 64;
    std::size_t touches_max = 1 << 16;  // that are remembered
  };
  MessageTouches(const Options& options, SharedTrackers& shared, SeriesTables& series, const MessageTables& rows);

  // Its due() and complete() know of touches that were left out.
  tracker::CoalescingTracker& tracker() { return tracker_; }
  // Of a tenant or an owner of its messages. Errors: those of tenants' names.
  Result<std::vector<tracker::Touch>> touches_of(std::string_view tenant,
                                                 const std::set<model::Timestamp>& slots) const;
  // Without waiting.
  void touch(std::span<const tracker::Touch> touches, model::Timestamp now_ms, SharedTrackers::Done done);
  // Touches whatever the directory names. Errors: those of store and tracker.
  Status replay();

 private:
  const Options options_;
  SharedTrackers& shared_;
  SeriesTables& series_;
  const MessageTables& rows_;
  tracker::CoalescingTracker tracker_;
};

}  // namespace varve::engine::cassandra
