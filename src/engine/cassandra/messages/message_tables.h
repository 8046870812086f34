// SPDX-License-Identifier: Apache-2.0
// Message tables: those of messages, read and written (docs/internals/schema.md, docs/formats/cluster.md).
//
// Hot rows of a slot stand in *buckets*, partitions that one process writes for five minutes. A directory names them.
// What is sealed is said by one row of the slot, which also says which hot rows do not count any more. So who reads
// asks in this order: directory, hot rows, that row; a bucket that was deleted meanwhile is covered by it. Beside that
// row stand the marks of deletes: what they erase does not count, wherever it stands.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/cassandra/messages/erase_mark.h"
#include "engine/cassandra/messages/hot_blobs.h"
#include "engine/cassandra/messages/sealed_messages.h"
#include "engine/cassandra/messages/stored_sections.h"
#include "engine/cassandra/tables/row_store.h"
#include "engine/cassandra/tables/schema.h"
#include "message/block/parts.h"
#include "message/classes.h"
#include "model/time.h"

namespace varve::engine::cassandra {

// A process writes into a bucket while its arrivals are less than so much later than the bucket's first.
inline constexpr std::int64_t kHotBucketUs = 300'000'000;

// The millisecond that it lies in.
constexpr model::Timestamp ms_of_us(std::int64_t us) { return us / 1000 - (us % 1000 < 0 ? 1 : 0); }

struct HotBucket {
  std::int64_t source = 0;
  std::int64_t opened_us = 0;
  auto operator<=>(const HotBucket&) const = default;
  // From then on nothing arrives in it.
  [[nodiscard]] std::int64_t ends_us() const { return opened_us + kHotBucketUs; }
};

struct HotMessages {  // a row
  HotBucket bucket;
  std::int64_t arrived_us = 0;
  HotHead head;
  [[nodiscard]] Arrival arrival() const { return {arrived_us, bucket.source}; }
};

// What stands of a slot.
struct SlotMessages {
  model::Timestamp slot = 0;
  std::vector<HotBucket> buckets;
  std::vector<HotMessages> hot;  // by bucket, then arrival; covered ones, too
  SealedMessages sealed;
  std::vector<EraseMark> marks;  // by version
};

class MessageTables {
 public:
  // Of sections that were read, so many bytes are kept.
  static constexpr std::size_t kCacheBytesMax = std::size_t{128} << 20;
  // Whoever is called a tenant here is an owner (message_owner.h).
  MessageTables(const Tables& tables, RowStore& rows, std::int64_t slot_ms,
                const std::vector<message::ClassRule>& rules, std::int64_t retention_ms,
                std::size_t cache_bytes_max = kCacheBytesMax)
      : tables_(tables), rows_(rows), slot_ms_(slot_ms), classes_(rules, retention_ms), caches_(cache_bytes_max) {
    for (const message::ClassRule& rule : rules) class_names_.insert(rule.name);
  }

  [[nodiscard]] const message::Classes& classes() const { return classes_; }
  // Owners of the tenant's messages: its own name, and with the classes that are configured or were written once.
  [[nodiscard]] Result<std::vector<std::string>> owners(std::string_view tenant) const;
  // To be written before the first message of this owner, which has a class, is acknowledged.
  [[nodiscard]] RowWrite owner_write(std::string_view owner, std::int64_t timestamp_us) const;

  [[nodiscard]] std::int64_t slot_ms() const { return slot_ms_; }
  [[nodiscard]] model::Timestamp slot_of(std::int64_t time_us) const {
    return model::window_start(ms_of_us(time_us), slot_ms_);
  }
  // Of rows of this slot that are written now; 0: for ever.
  [[nodiscard]] std::uint32_t ttl_s(std::string_view owner, model::Timestamp slot, std::int64_t now_ms) const;
  // Is its time over? Its rows may be there yet.
  [[nodiscard]] bool is_over(std::string_view owner, model::Timestamp slot, std::int64_t now_ms) const;

  // --- writing
  // A message's bytes are at most this much in a row: more would be too much for a mutation of Cassandra's.
  static constexpr std::size_t kValueBytesMax = std::size_t{8} << 20;
  RowWrite hot_write(std::string_view tenant, model::Timestamp slot, const HotMessages& row, std::string value) const;
  RowWrite bucket_write(std::string_view tenant, model::Timestamp slot, const HotBucket& bucket,
                        std::int64_t arrived_us) const;
  RowWrite section_write(std::string_view tenant, model::Timestamp slot, const BlockName& block, std::uint32_t section,
                         std::string value) const;
  RowWrite sealed_write(std::string_view tenant, model::Timestamp slot, const SealedMessages& sealed) const;
  RowWrite mark_write(std::string_view tenant, model::Timestamp slot, const EraseMark& mark) const;
  RowDelete block_delete(std::string_view tenant, model::Timestamp slot, const BlockName& block,
                         std::int64_t timestamp_us) const;
  // All that is in the bucket; and, when that is gone, its name in the directory.
  RowDelete hot_delete(std::string_view tenant, model::Timestamp slot, const HotBucket& bucket) const;
  RowDelete bucket_delete(std::string_view tenant, model::Timestamp slot, const HotBucket& bucket) const;

  // --- reading
  // Slots that overlap the range (both ends inclusive), ascending; only those of which something stands.
  Result<std::vector<SlotMessages>> read(std::string_view tenant, std::int64_t first_us, std::int64_t last_us) const;
  // This one, also if nothing stands of it.
  Result<SlotMessages> read_slot(std::string_view tenant, model::Timestamp slot) const;
  // Hot rows that arrived at that time or later, but for those of that process, in whatever slots: without what is
  // sealed of them.
  Result<std::vector<SlotMessages>> read_new(std::string_view tenant, std::int64_t arrived_us,
                                             std::int64_t but_of_source) const;
  // The values of these rows of a slot: those of a bucket stand together and ascend. Buckets come in any order. Errors:
  // unavailable (one of them is gone), corrupt.
  using EachHot = std::function<Status(const HotMessages& row, std::string rows)>;
  Status read_hot(std::string_view tenant, model::Timestamp slot, std::span<const HotMessages> wanted,
                  const EachHot& each) const;
  // The sections of a block. This object must stay as long as they do.
  [[nodiscard]] std::shared_ptr<const message::block::Sections> sections(std::string_view tenant, model::Timestamp slot,
                                                                         const BlockName& block) const;
  // Every bucket that there is, of all tenants.
  using EachBucket = std::function<Status(std::string_view tenant, model::Timestamp slot, const HotBucket& bucket)>;
  Status all_buckets(const EachBucket& each) const;

 private:
  [[nodiscard]] std::int64_t retention_ms(std::string_view owner) const;
  using Slots = std::map<model::Timestamp, SlotMessages>;
  [[nodiscard]] Result<std::vector<RowRead>> era_reads(const Table& table, std::string_view tenant,
                                                       std::int64_t first_us, std::int64_t last_us,
                                                       const std::vector<std::string>& values) const;
  Status read_buckets(std::string_view tenant, std::int64_t first_us, std::int64_t last_us, Slots& slots) const;
  // Of rows that arrived then or later.
  Status read_heads(std::string_view tenant, Slots& slots, std::int64_t arrived_us = 0) const;
  Status read_sealed(std::string_view tenant, std::int64_t first_us, std::int64_t last_us, Slots& slots) const;

  const Tables& tables_;
  RowStore& rows_;
  const std::int64_t slot_ms_;
  const message::Classes classes_;
  std::set<std::string> class_names_;  // of those that are configured
  mutable SectionCaches caches_;
};

}  // namespace varve::engine::cassandra
