// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/messages/message_reader.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "engine/cassandra/messages/blob_bytes.h"
#include "engine/cassandra/messages/new_names.h"
#include "engine/cassandra/series/identity.h"
#include "engine/cassandra/tables/cell.h"

namespace varve::engine::cassandra {

using storage::MessagePart;
using storage::MessageRows;

namespace {

// Hot rows that follow one another in a bucket are one part, up to so many bytes: they are read at once.
constexpr std::size_t kPartBytesMax = std::size_t{4} << 20;

bool times_overlap(std::int64_t first, std::int64_t last, std::int64_t first_us, std::int64_t last_us) {
  return first <= last_us && last >= first_us;
}

}  // namespace

MessagePart MessageReader::hot_part(std::string_view tenant, model::Timestamp slot,
                                    std::vector<HotMessages> rows) const {
  MessagePart part{rows[0].head.first_us, rows[0].head.last_us, 0};
  for (const HotMessages& row : rows) {
    part.first_us = std::min(part.first_us, row.head.first_us);
    part.last_us = std::max(part.last_us, row.head.last_us);
    part.messages += row.head.messages;
  }
  part.read = [this, tenant = std::string(tenant), slot, rows = std::move(rows)](
                  std::int64_t first_us, std::int64_t last_us) -> Result<MessageRows> {
    const auto texts = std::make_shared<std::vector<std::string>>();
    VARVE_RETURN_IF_ERROR(
        messages_.read_hot(tenant, slot, rows, [&](const HotMessages& row, std::string text) -> Status {
          if (times_overlap(row.head.first_us, row.head.last_us, first_us, last_us)) texts->push_back(std::move(text));
          return {};
        }));
    MessageRows out;
    for (const std::string& text : *texts) out.pieces.push_back(blob_bytes(text));
    out.held = texts;
    return out;
  };
  return part;
}

void MessageReader::add_hot(std::string_view tenant, const SlotMessages& slot, std::int64_t first_us,
                            std::int64_t last_us, std::vector<MessagePart>& out) const {
  std::vector<HotMessages> together;
  std::size_t bytes = 0;
  const auto take = [&] {
    if (!together.empty()) out.push_back(hot_part(tenant, slot.slot, std::exchange(together, {})));
    bytes = 0;
  };
  for (const HotMessages& row : slot.hot) {
    if (slot.sealed.covers(row.arrival())) continue;
    if (!times_overlap(row.head.first_us, row.head.last_us, first_us, last_us)) continue;
    if (!together.empty() && (together.back().bucket != row.bucket || bytes + row.head.bytes > kPartBytesMax)) take();
    together.push_back(row);
    bytes += row.head.bytes;
  }
  take();
}

Result<std::vector<MessagePart>> MessageReader::parts(std::string_view tenant, std::int64_t first_us,
                                                      std::int64_t last_us) const {
  VARVE_ASSIGN_OR_RETURN(const auto slots, messages_.read(tenant, first_us, last_us));
  std::vector<MessagePart> out;
  const std::int64_t now_ms = clock_.now_ms();
  for (const SlotMessages& slot : slots) {
    if (messages_.is_over(slot.slot, now_ms)) continue;  // Cassandra drops it later
    for (const SealedBlock& block : slot.sealed.blocks) {
      if (!times_overlap(block.first_us, block.last_us, first_us, last_us)) continue;
      MessagePart& part = out.emplace_back();
      part.first_us = block.first_us;
      part.last_us = block.last_us;
      part.messages = block.messages;
      part.block = messages_.sections(tenant, slot.slot, block.name);
    }
    add_hot(tenant, slot, first_us, last_us, out);
  }
  return out;
}

Result<storage::MessageNames> MessageReader::names(std::string_view tenant) const {
  std::vector<RowRead> reads;
  reads.reserve(kShards);
  for (std::int16_t shard = 0; shard < kShards; ++shard) {
    reads.push_back({&tables_.message_names, {std::string(tenant), smallint_cell(shard)}, {}, {}, {}});
  }
  storage::MessageNames names;
  VARVE_RETURN_IF_ERROR(rows_.read(reads, {}, [&](std::size_t, const RowView& row) -> Status {
    const std::string_view name = row.cells[0];
    if (name.empty()) return fail(Code::corrupt, "a name of messages has no kind");
    auto& of = static_cast<MessageName>(name[0]) == MessageName::field ? names.fields : names.object_types;
    of.emplace(name.substr(1));
    return {};
  }));
  return names;
}

}  // namespace varve::engine::cassandra
