// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/messages/message_merge.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "base/check.h"
#include "engine/cassandra/messages/blob_bytes.h"
#include "message/block/block.h"
#include "message/block/encode.h"
#include "message/id.h"
#include "message/sorted_rows.h"

namespace varve::engine::cassandra {

using Message = message::RowView;

namespace {

constexpr std::size_t kBlockBytesMax = std::size_t{64} << 20;  // of its messages, and so of a partition
constexpr std::size_t kMessageBytes = 512;                     // of one in a block, about

}  // namespace

// Ends where so many bytes have begun: what is spread over a long time counts at its middle.
std::vector<MessageMerge::Stretch> MessageMerge::stretches(std::span<const HotMessages> hot,
                                                           std::span<const SealedBlock> blocks) const {
  std::vector<std::pair<std::int64_t, std::size_t>> weights;
  for (const HotMessages& row : hot) {
    weights.emplace_back(std::midpoint(row.head.first_us, row.head.last_us), row.head.bytes);
  }
  for (const SealedBlock& block : blocks) {
    weights.emplace_back(std::midpoint(block.first_us, block.last_us), block.messages * kMessageBytes);
  }
  std::ranges::sort(weights);
  std::vector<Stretch> out(1);
  std::size_t bytes = 0;
  for (const auto& [time_us, weight] : weights) {
    if (bytes > 0 && bytes + weight > stretch_bytes_ && time_us > out.back().first_us) {
      out.back().last_us = time_us - 1;
      out.push_back({time_us, std::numeric_limits<std::int64_t>::max()});
      bytes = 0;
    }
    bytes += weight;
  }
  return out;
}

Status MessageMerge::load_hot(std::span<const HotMessages> hot, const Stretch& stretch) {
  std::vector<HotMessages> wanted;
  const auto load = [&]() -> Status {
    if (wanted.empty()) return {};
    return messages_.read_hot(tenant_, slot_, std::exchange(wanted, {}), [&](const HotMessages& row, std::string text) {
      const bool whole = stretch.has(row.head.first_us) && stretch.has(row.head.last_us);
      std::string kept;
      for (std::size_t at = 0; !whole && at < text.size();) {
        const Message one{blob_bytes(text).data() + at};
        if (stretch.has(one.time_us())) kept.append(text, at, one.bytes());
        at += one.bytes();
      }
      pieces_.push_back(blob_bytes(texts_.emplace_back(std::move(whole ? text : kept))));
      return Status();
    });
  };
  for (const HotMessages& row : hot) {
    if (row.head.last_us < stretch.first_us || row.head.first_us > stretch.last_us) continue;
    wanted.push_back(row);
  }
  return load();
}

Status MessageMerge::load_block(const SealedBlock& block, const Stretch& stretch) {
  if (block.last_us < stretch.first_us || block.first_us > stretch.last_us) return {};
  VARVE_ASSIGN_OR_RETURN(auto open, message::block::Block::open(messages_.sections(tenant_, slot_, block.name)));
  VARVE_ASSIGN_OR_RETURN(const auto times, open.times());
  std::vector<std::uint32_t> wanted;
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (stretch.has(times[i])) wanted.push_back(static_cast<std::uint32_t>(i));
  }
  message::Batch& batch = batches_.emplace_back();
  VARVE_RETURN_IF_ERROR(open.rows(wanted, batch));
  pieces_.push_back(batch.bytes());
  return {};
}

// Ids are looked at only where several messages have the same time.
void MessageMerge::drop_repeats() {
  const auto time = [](Message row) { return std::pair(row.time_us(), row.nanos()); };
  std::set<message::Id> ids;
  auto to = loaded_.begin();
  for (auto from = loaded_.begin(); from != loaded_.end();) {
    const auto end = std::find_if(from, loaded_.end(), [&](Message row) { return time(row) != time(*from); });
    const bool alone = end - from == 1;
    ids.clear();
    to = std::copy_if(from, end, to, [&](Message row) {
      return alone || !message::has_lasting_id(row) || ids.insert(message::id_of(row)).second;
    });
    from = end;
  }
  loaded_.erase(to, loaded_.end());
}

Status MessageMerge::write_block(std::span<const Message> rows) {
  VARVE_ASSIGN_OR_RETURN(auto block, message::block::encode_block(rows));
  const BlockName name{version_, static_cast<std::uint32_t>(written_.size())};
  std::vector<RowWrite> sections;
  for (std::size_t i = 0; i < block.sections.size(); ++i) {
    bytes_written_ += block.sections[i].size();
    sections.push_back(
        messages_.section_write(tenant_, slot_, name, static_cast<std::uint32_t>(i), std::move(block.sections[i])));
    sections.back().ttl_s = ttl_s_;
  }
  written_.push_back({name, static_cast<std::uint32_t>(sections.size()), static_cast<std::uint32_t>(block.messages),
                      block.first_us, block.last_us});
  return rows_.write_now(std::move(sections));
}

Status MessageMerge::write_blocks() {
  const std::span<const Message> all(loaded_);
  std::size_t from = 0, bytes = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i > from && (i - from == message::block::kRowsMax || bytes + all[i].bytes() > kBlockBytesMax)) {
      VARVE_RETURN_IF_ERROR(write_block(all.subspan(from, i - from)));
      from = i;
      bytes = 0;
    }
    bytes += all[i].bytes();
  }
  return from == all.size() ? Status() : write_block(all.subspan(from));
}

Result<std::vector<SealedBlock>> MessageMerge::merge(std::span<const HotMessages> hot,
                                                     std::span<const SealedBlock> blocks,
                                                     std::span<const EraseMark> marks) {
  check(written_.empty(), "a merge is done once");
  for (const Stretch& stretch : stretches(hot, blocks)) {
    pieces_.clear();
    texts_.clear();
    batches_.clear();
    VARVE_RETURN_IF_ERROR(load_hot(hot, stretch));
    for (const SealedBlock& block : blocks) VARVE_RETURN_IF_ERROR(load_block(block, stretch));
    loaded_ = message::sorted_rows(pieces_);
    if (!marks.empty()) std::erase_if(loaded_, [marks](Message row) { return is_erased(marks, row); });
    drop_repeats();
    VARVE_RETURN_IF_ERROR(write_blocks());
  }
  return written_;
}

}  // namespace varve::engine::cassandra
