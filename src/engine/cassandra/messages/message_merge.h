// SPDX-License-Identifier: Apache-2.0
// Message merge: makes sealed blocks of a slot's hot rows and of blocks that they overlap: in order of time and
// arrival, of messages with the same time and sender's id the first one. It goes through the slot by stretches of time
// that are small enough for memory; only messages of one microsecond must fit together.
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/cassandra/messages/message_tables.h"
#include "message/builder.h"
#include "message/row.h"

namespace varve::engine::cassandra {

class MessageMerge {
 public:
  static constexpr std::size_t kStretchBytes = std::size_t{48} << 20;  // of messages in memory, about

  // Blocks are written with this version.
  MessageMerge(const MessageTables& messages, RowStore& rows, std::string_view tenant, model::Timestamp slot,
               std::int64_t version, std::uint32_t ttl_s, std::size_t stretch_bytes = kStretchBytes)
      : messages_(messages),
        rows_(rows),
        tenant_(tenant),
        slot_(slot),
        version_(version),
        ttl_s_(ttl_s),
        stretch_bytes_(stretch_bytes) {}

  // `hot`: sorted as SlotMessages has them. All messages of both are in the blocks that it has written when it returns,
  // by time. Errors: corrupt, those of the store; then written() may stand.
  // But for what the marks erase.
  Result<std::vector<SealedBlock>> merge(std::span<const HotMessages> hot, std::span<const SealedBlock> blocks,
                                         std::span<const EraseMark> marks = {});
  [[nodiscard]] const std::vector<SealedBlock>& written() const { return written_; }
  [[nodiscard]] std::uint64_t bytes_written() const { return bytes_written_; }

 private:
  struct Stretch {
    std::int64_t first_us = std::numeric_limits<std::int64_t>::min();
    std::int64_t last_us = std::numeric_limits<std::int64_t>::max();
    [[nodiscard]] bool has(std::int64_t us) const { return us >= first_us && us <= last_us; }
  };
  [[nodiscard]] std::vector<Stretch> stretches(std::span<const HotMessages> hot,
                                               std::span<const SealedBlock> blocks) const;
  Status load_hot(std::span<const HotMessages> hot, const Stretch& stretch);
  Status load_block(const SealedBlock& block, const Stretch& stretch);
  void drop_repeats();
  Status write_blocks();
  Status write_block(std::span<const message::RowView> rows);

  const MessageTables& messages_;
  RowStore& rows_;
  const std::string tenant_;
  const model::Timestamp slot_;
  const std::int64_t version_;
  const std::uint32_t ttl_s_;
  const std::size_t stretch_bytes_;
  std::vector<SealedBlock> written_;
  std::uint64_t bytes_written_ = 0;
  // Of the stretch:
  std::deque<std::string> texts_;
  std::deque<message::Batch> batches_;
  std::vector<std::span<const std::byte>> pieces_;  // of texts_ and batches_
  std::vector<message::RowView> loaded_;            // sorted
};

}  // namespace varve::engine::cassandra
