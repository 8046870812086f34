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
#include "message/block/block.h"
#include "message/builder.h"

namespace varve::engine::cassandra {

using storage::MessagePart;
using storage::MessageRows;

namespace {

// Hot rows that arrived one after the other, in whatever buckets, are one part, up to so many bytes: they are read at
// once.
constexpr std::size_t kPartBytesMax = std::size_t{4} << 20;

bool times_overlap(std::int64_t first, std::int64_t last, std::int64_t first_us, std::int64_t last_us) {
  return first <= last_us && last >= first_us;
}

// These messages of a block.
Result<MessageRows> rows_of(const std::shared_ptr<const message::block::Sections>& sections,
                            const message::block::Bitmap& which) {
  VARVE_ASSIGN_OR_RETURN(message::block::Block block, message::block::Block::open(sections));
  std::vector<std::uint32_t> rows;
  which.for_each([&](std::uint32_t row) { rows.push_back(row); });
  const auto made = std::make_shared<message::Batch>();
  VARVE_RETURN_IF_ERROR(block.rows(rows, *made));
  MessageRows out;
  out.pieces.push_back(made->bytes());
  out.held = made;
  return out;
}

std::string without_erased(std::string_view rows, std::span<const EraseMark> marks) {
  std::string kept;
  for (std::size_t at = 0; at < rows.size();) {
    const message::RowView row{blob_bytes(rows).data() + at};
    if (!is_erased(marks, row)) kept.append(rows, at, row.bytes());
    at += row.bytes();
  }
  return kept;
}

}  // namespace

MessagePart MessageReader::hot_part(std::string_view tenant, model::Timestamp slot, const Marks& marks,
                                    std::vector<HotMessages> rows) const {
  MessagePart part{rows[0].head.first_us, rows[0].head.last_us, 0};
  for (const HotMessages& row : rows) {
    part.first_us = std::min(part.first_us, row.head.first_us);
    part.last_us = std::max(part.last_us, row.head.last_us);
    part.messages += row.head.messages;
  }
  part.read = [this, tenant = std::string(tenant), slot, marks, rows = std::move(rows)](
                  std::int64_t first_us, std::int64_t last_us) -> Result<MessageRows> {
    const auto texts = std::make_shared<std::vector<std::string>>();
    VARVE_RETURN_IF_ERROR(
        messages_.read_hot(tenant, slot, rows, [&](const HotMessages& row, std::string text) -> Status {
          if (!times_overlap(row.head.first_us, row.head.last_us, first_us, last_us)) return {};
          if (!marks->empty()) text = without_erased(text, *marks);
          if (!text.empty()) texts->push_back(std::move(text));
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
  const auto marks = std::make_shared<const std::vector<EraseMark>>(slot.marks);
  std::vector<HotMessages> together;
  std::size_t bytes = 0;
  const auto take = [&] {
    if (!together.empty()) out.push_back(hot_part(tenant, slot.slot, marks, std::exchange(together, {})));
    bytes = 0;
  };
  std::vector<HotMessages> wanted;
  for (const HotMessages& row : slot.hot) {
    if (slot.sealed.covers(row.arrival())) continue;
    if (times_overlap(row.head.first_us, row.head.last_us, first_us, last_us)) wanted.push_back(row);
  }
  // Buckets of several processes that were written at the same time.
  std::ranges::stable_sort(wanted, {}, [](const HotMessages& row) { return row.bucket.opened_us; });
  for (const HotMessages& row : wanted) {
    if (!together.empty() && bytes + row.head.bytes > kPartBytesMax) take();
    together.push_back(row);
    bytes += row.head.bytes;
  }
  take();
}

// What is erased is looked for now: mostly it is nothing.
Status MessageReader::add_block(std::string_view tenant, const SlotMessages& slot, const SealedBlock& block,
                                std::vector<MessagePart>& out) const {
  std::vector<EraseMark> marks;
  for (const EraseMark& mark : slot.marks) {
    if (!slot.sealed.applies(mark.version) && mark.overlaps(block.first_us, block.last_us)) marks.push_back(mark);
  }
  MessagePart part{block.first_us, block.last_us, block.messages};
  part.block = messages_.sections(tenant, slot.slot, block.name);
  if (!marks.empty()) {
    VARVE_ASSIGN_OR_RETURN(message::block::Block open, message::block::Block::open(part.block));
    VARVE_ASSIGN_OR_RETURN(auto left, erased_in(open, marks));
    if (!left.none()) {
      left.flip();
      if (left.none()) return {};
      part.messages = left.count();
      part.read = [sections = std::exchange(part.block, nullptr), left](std::int64_t, std::int64_t) {
        return rows_of(sections, left);
      };
    }
  }
  out.push_back(std::move(part));
  return {};
}

Result<std::vector<MessagePart>> MessageReader::parts(std::string_view tenant, std::int64_t first_us,
                                                      std::int64_t last_us) const {
  std::vector<MessagePart> out;
  VARVE_ASSIGN_OR_RETURN(const auto owners, messages_.owners(tenant));
  for (const std::string& owner : owners) VARVE_RETURN_IF_ERROR(add_parts(owner, first_us, last_us, out));
  return out;
}

Status MessageReader::add_parts(std::string_view tenant, std::int64_t first_us, std::int64_t last_us,
                                std::vector<MessagePart>& out) const {
  VARVE_ASSIGN_OR_RETURN(const auto slots, messages_.read(tenant, first_us, last_us));
  const std::int64_t now_ms = clock_.now_ms();
  for (const SlotMessages& slot : slots) {
    if (messages_.is_over(tenant, slot.slot, now_ms)) continue;  // Cassandra drops it later
    for (const SealedBlock& block : slot.sealed.blocks) {
      if (!times_overlap(block.first_us, block.last_us, first_us, last_us)) continue;
      VARVE_RETURN_IF_ERROR(add_block(tenant, slot, block, out));
    }
    add_hot(tenant, slot, first_us, last_us, out);
  }
  return {};
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
