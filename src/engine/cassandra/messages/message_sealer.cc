// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/messages/message_sealer.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/check.h"
#include "engine/cassandra/messages/message_merge.h"

namespace varve::engine::cassandra {

using model::Timestamp;

namespace {

// Blocks that are made anew with these hot rows: those that one of them overlaps, and small ones.
bool is_merged(const SealedBlock& block, std::span<const HotMessages> hot) {
  if (block.messages < MessageSealer::kSmallBlock) return true;
  return std::ranges::any_of(hot, [&](const HotMessages& row) {
    return row.head.first_us <= block.last_us && row.head.last_us >= block.first_us;
  });
}

// What is published next, but for the blocks: what it covers.
SealedMessages covering(const SlotMessages& slot, std::int64_t version, std::int64_t until_us, Timestamp now_ms) {
  SealedMessages next;
  next.version = version;
  next.published_ms = now_ms;
  next.until_us = std::max(until_us, slot.sealed.until_us);
  next.beyond = slot.sealed.beyond;
  for (const HotMessages& row : slot.hot) next.beyond.insert(row.arrival());
  std::erase_if(next.beyond, [&](const Arrival& arrival) { return arrival.us < next.until_us; });
  for (const EraseMark& mark : slot.marks) next.applied.insert(mark.version);
  next.replaced = slot.sealed.replaced;
  std::erase_if(next.replaced, [&](const ReplacedBlock& block) {
    return block.replaced_ms + 2 * MessageSealer::kReplacedKeptMs < now_ms;
  });
  return next;
}

// Would a bucket that is not covered whole yet be so with this watermark?
bool frees_a_bucket(const SlotMessages& slot, std::int64_t until_us) {
  return std::ranges::any_of(slot.buckets, [&](const HotBucket& bucket) {
    return bucket.ends_us() > slot.sealed.until_us && bucket.ends_us() <= until_us;
  });
}

bool has_new_marks(const SlotMessages& slot) {
  return std::ranges::any_of(slot.marks, [&](const EraseMark& mark) { return !slot.sealed.applies(mark.version); });
}

}  // namespace

Result<bool> MessageSealer::is_stale(std::string_view tenant, const SlotMessages& slot,
                                     const SealedBlock& block) const {
  std::vector<EraseMark> marks;
  for (const EraseMark& mark : slot.marks) {
    if (!slot.sealed.applies(mark.version) && mark.overlaps(block.first_us, block.last_us)) marks.push_back(mark);
  }
  if (marks.empty()) return false;
  VARVE_ASSIGN_OR_RETURN(auto open, message::block::Block::open(messages_.sections(tenant, slot.slot, block.name)));
  VARVE_ASSIGN_OR_RETURN(const auto erased, erased_in(open, marks));
  return !erased.none();
}

Result<MessageSealer::Reading> MessageSealer::read(std::string_view tenant, Timestamp slot) const {
  Reading reading;
  const auto until_us = watermark_();
  if (!until_us) return fail(Code::unavailable, "it is not known up to when hot rows are whole");
  reading.until_us = *until_us;
  const auto read_all = [&]() -> Result<std::int64_t> {
    reading.began_ns = clock_.steady_ns();
    VARVE_ASSIGN_OR_RETURN(reading.slot, messages_.read_slot(tenant, slot));
    return reading.slot.sealed.version;
  };
  VARVE_ASSIGN_OR_RETURN(reading.version, read_versioned(versions_, read_all));
  return reading;
}

Status MessageSealer::publish(std::string_view tenant, const Reading& reading, SealedMessages next) const {
  if (clock_.steady_ns() - reading.began_ns > kPublishWithinMs * 1'000'000) {
    return fail(Code::unavailable, "sealing messages took too long: it is tried again");
  }
  std::ranges::sort(next.blocks, {}, [](const SealedBlock& block) { return std::tuple(block.first_us, block.name); });
  std::vector<RowWrite> rows;
  rows.push_back(messages_.sealed_write(tenant, reading.slot.slot, next));
  rows.back().ttl_s = messages_.ttl_s(tenant, reading.slot.slot, clock_.now_ms());
  return rows_.write_now(std::move(rows));
}

Result<MessageSealer::Report> MessageSealer::seal(std::string_view tenant, Timestamp slot) const {
  VARVE_ASSIGN_OR_RETURN(const Reading reading, read(tenant, slot));
  const SealedMessages& before = reading.slot.sealed;
  std::vector<HotMessages> hot;
  for (const HotMessages& row : reading.slot.hot) {
    if (!before.covers(row.arrival())) hot.push_back(row);
  }
  const Timestamp now = clock_.now_ms();
  SealedMessages next = covering(reading.slot, reading.version, reading.until_us, now);
  std::vector<SealedBlock> merged;
  for (const SealedBlock& block : before.blocks) {
    bool again = !hot.empty() && is_merged(block, hot);
    if (!again) {
      VARVE_ASSIGN_OR_RETURN(again, is_stale(tenant, reading.slot, block));
    }
    (again ? merged : next.blocks).push_back(block);
  }
  if (hot.empty() && merged.empty()) {
    const bool says_more = frees_a_bucket(reading.slot, next.until_us) || has_new_marks(reading.slot);
    if (says_more) VARVE_RETURN_IF_ERROR(publish(tenant, reading, std::move(next)));
    return Report{};
  }
  MessageMerge merge(messages_, rows_, tenant, slot, reading.version, messages_.ttl_s(tenant, slot, now));
  auto made = merge.merge(hot, merged, reading.slot.marks);
  if (made) {
    next.blocks.insert(next.blocks.end(), made->begin(), made->end());
    for (const SealedBlock& block : merged) next.replaced.push_back({block.name, now});
    VARVE_RETURN_IF_ERROR(publish(tenant, reading, std::move(next)));
    Report report{made->size(), 0, merge.bytes_written()};
    for (const SealedBlock& block : *made) report.messages += block.messages;
    return report;
  }
  // Nobody has heard of them. Where they stay, they expire.
  std::vector<RowDelete> gone;
  for (const SealedBlock& block : merge.written()) {
    gone.push_back(messages_.block_delete(tenant, slot, block.name, reading.version));
  }
  std::ignore = rows_.erase_now(std::move(gone));
  return fail(made.error());
}

Result<MessageSealer::Left> MessageSealer::drop(std::string_view tenant, Timestamp slot) const {
  VARVE_ASSIGN_OR_RETURN(const SlotMessages read, messages_.read_slot(tenant, slot));
  if (read.buckets.empty()) return Left::nothing;
  const SealedMessages& sealed = read.sealed;
  const Timestamp now = clock_.now_ms();
  if (sealed.published_ms + hot_kept_ms_ > now) return Left::later;
  std::vector<RowDelete> blocks, hot, directory;
  bool is_waiting = false;
  for (const ReplacedBlock& block : sealed.replaced) {
    if (block.replaced_ms + kReplacedKeptMs > now) {
      is_waiting = true;
    } else {
      blocks.push_back(messages_.block_delete(tenant, slot, block.name, sealed.version));
    }
  }
  if (is_waiting) return Left::later;  // the directory is what brings us here again
  bool is_left = false;
  for (const HotBucket& bucket : read.buckets) {
    if (bucket.ends_us() > sealed.until_us) {
      is_left = true;
      continue;
    }
    hot.push_back(messages_.hot_delete(tenant, slot, bucket));
    directory.push_back(messages_.bucket_delete(tenant, slot, bucket));
  }
  for (auto* const rows : {&blocks, &hot, &directory}) {
    if (!rows->empty()) VARVE_RETURN_IF_ERROR(rows_.erase_now(std::move(*rows)));
  }
  return is_left ? Left::to_seal : Left::nothing;
}

}  // namespace varve::engine::cassandra
