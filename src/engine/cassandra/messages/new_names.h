// SPDX-License-Identifier: Apache-2.0
// New names: what has to stand beside messages, so that they are found, and what of it this process has not written
// yet: names of free fields and types of objects, the partition bucket of their time, the tenant.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/mutex.h"
#include "codec/hash.h"
#include "engine/cassandra/messages/message_tables.h"
#include "message/builder.h"

namespace varve::engine::cassandra {

// Kinds of names, as message_names has them.
enum class MessageName : unsigned char { field = 0, object_type = 1 };
std::string message_name(MessageName kind, std::string_view text);

// Thread-safe.
class NewNames {
 public:
  explicit NewNames(const Tables& tables) : tables_(tables) {}

  struct Wanted {
    std::vector<RowWrite> rows;
    std::vector<codec::Hash128> keys;
  };
  using Owners = std::map<std::string, std::set<model::Timestamp>>;  // with slots
  // Of a batch whose messages are in these slots. Rows of the tables' TTL.
  Wanted wanted(std::string_view tenant, const message::Batch& batch, const Owners& owners,
                const MessageTables& messages, std::int64_t now_ms, std::int64_t timestamp_us);
  // Its rows stand.
  void stand(const Wanted& wanted);

 private:
  struct HashOfKey {
    std::size_t operator()(const codec::Hash128& hash) const { return hash.low; }
  };
  // So many are remembered; then all are written again.
  static constexpr std::size_t kRememberedMax = 200'000;
  using Written = std::unordered_set<codec::Hash128, HashOfKey>;
  class Collector;

  const Tables& tables_;
  Mutex mutex_;
  // Since this index bucket (of the clock) began: names live as long as messages, so they are written again in each.
  Written written_ VARVE_GUARDED_BY(mutex_);
  model::Timestamp index_bucket_ VARVE_GUARDED_BY(mutex_) = 0;
};

}  // namespace varve::engine::cassandra
