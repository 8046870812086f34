// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/messages/message_tables.h"

#include <algorithm>

#include "base/check.h"
#include "engine/cassandra/messages/message_owner.h"
#include "engine/cassandra/tables/cell.h"
#include "engine/cassandra/tables/data_rows.h"
#include "engine/cassandra/tables/spans.h"

namespace varve::engine::cassandra {

using model::Timestamp;

namespace {

// So many partition buckets are asked without asking first which of them there are.
constexpr std::int64_t kErasAtOnce = 2;
// Of message_names: names of the tenant's classes. Stored: DO NOT CHANGE.
constexpr std::int16_t kClassShard = -1;

std::unexpected<Error> bad_message_row(const char* what) {
  return fail(Code::corrupt, std::string("a row of messages has ") + what);
}

Result<HotBucket> bucket_of(std::string_view source, std::string_view opened) {
  HotBucket bucket;
  VARVE_ASSIGN_OR_RETURN(bucket.source, bigint_of(source));
  VARVE_ASSIGN_OR_RETURN(bucket.opened_us, bigint_of(opened));
  return bucket;
}

Cells hot_partition(std::string_view tenant, Timestamp slot, const HotBucket& bucket) {
  return {std::string(tenant), timestamp_cell(slot), bigint_cell(bucket.source), bigint_cell(bucket.opened_us)};
}

}  // namespace

std::int64_t MessageTables::retention_ms(std::string_view owner) const {
  const std::string_view name = class_of_owner(owner);
  return classes_.retention_ms(name.empty() ? message::kDefaultClass : message::class_id_of(name));
}

std::uint32_t MessageTables::ttl_s(std::string_view owner, Timestamp slot, std::int64_t now_ms) const {
  const std::int64_t kept_ms = retention_ms(owner);
  if (kept_ms >= rollup::kForEver) return 0;
  return ttl_left_s(slot + slot_ms_, kept_ms + kMessageSlackMs, now_ms).value_or(1);
}

bool MessageTables::is_over(std::string_view owner, Timestamp slot, std::int64_t now_ms) const {
  return shared::is_over(slot + slot_ms_, retention_ms(owner), now_ms);
}

Result<std::vector<std::string>> MessageTables::owners(std::string_view tenant) const {
  std::set<std::string> names = class_names_;
  const RowRead read{&tables_.message_names, {std::string(tenant), smallint_cell(kClassShard)}, {}, {}, {}};
  VARVE_RETURN_IF_ERROR(rows_.read({&read, 1}, {}, [&](std::size_t, const RowView& row) -> Status {
    names.emplace(row.cells[0]);
    return {};
  }));
  std::vector<std::string> owners{std::string(tenant)};
  for (const std::string& name : names) owners.push_back(message_owner(tenant, name));
  return owners;
}

RowWrite MessageTables::owner_write(std::string_view owner, std::int64_t timestamp_us) const {
  return {&tables_.message_names,
          {std::string(tenant_of_owner(owner)), smallint_cell(kClassShard)},
          {std::string(class_of_owner(owner))},
          {},
          timestamp_us,
          0};
}

// --- writing

RowWrite MessageTables::hot_write(std::string_view tenant, Timestamp slot, const HotMessages& row,
                                  std::string value) const {
  return {&tables_.messages,
          hot_partition(tenant, slot, row.bucket),
          {bigint_cell(row.arrived_us)},
          {encode_hot_head(row.head), std::move(value)},
          row.arrived_us,
          0};
}

RowWrite MessageTables::bucket_write(std::string_view tenant, Timestamp slot, const HotBucket& bucket,
                                     std::int64_t arrived_us) const {
  check(arrived_us < bucket.ends_us(), "what names a bucket goes when the bucket is deleted");
  return {&tables_.message_buckets,
          {std::string(tenant), timestamp_cell(model::window_start(slot, bucket_ms(slot_ms_)))},
          {timestamp_cell(slot), bigint_cell(bucket.source), bigint_cell(bucket.opened_us)},
          {},
          arrived_us,
          0};
}

RowWrite MessageTables::section_write(std::string_view tenant, Timestamp slot, const BlockName& block,
                                      std::uint32_t section, std::string value) const {
  return {&tables_.message_blocks,
          {std::string(tenant), timestamp_cell(slot), bigint_cell(block.version),
           integer_cell(static_cast<std::int32_t>(block.number))},
          {integer_cell(static_cast<std::int32_t>(section))},
          {std::move(value)},
          block.version,
          0};
}

RowWrite MessageTables::sealed_write(std::string_view tenant, Timestamp slot, const SealedMessages& sealed) const {
  return {&tables_.message_slots, {std::string(tenant), timestamp_cell(model::window_start(slot, bucket_ms(slot_ms_)))},
          {timestamp_cell(slot)}, {encode_sealed_messages(sealed)},
          sealed.version,         0};
}

RowWrite MessageTables::mark_write(std::string_view tenant, Timestamp slot, const EraseMark& mark) const {
  return {&tables_.message_erasures,
          {std::string(tenant), timestamp_cell(model::window_start(slot, bucket_ms(slot_ms_)))},
          {timestamp_cell(slot), bigint_cell(mark.version)},
          {encode_erase_mark(mark)},
          mark.version,
          0};
}

RowDelete MessageTables::block_delete(std::string_view tenant, Timestamp slot, const BlockName& block,
                                      std::int64_t timestamp_us) const {
  return {&tables_.message_blocks,
          {std::string(tenant), timestamp_cell(slot), bigint_cell(block.version),
           integer_cell(static_cast<std::int32_t>(block.number))},
          {},
          timestamp_us};
}

// All writes have an earlier timestamp.
RowDelete MessageTables::hot_delete(std::string_view tenant, Timestamp slot, const HotBucket& bucket) const {
  return {&tables_.messages, hot_partition(tenant, slot, bucket), {}, bucket.ends_us() - 1};
}

RowDelete MessageTables::bucket_delete(std::string_view tenant, Timestamp slot, const HotBucket& bucket) const {
  RowWrite named = bucket_write(tenant, slot, bucket, bucket.opened_us);
  return {&tables_.message_buckets, std::move(named.partition), std::move(named.clustering), bucket.ends_us() - 1};
}

// --- reading

Result<std::vector<RowRead>> MessageTables::era_reads(const Table& table, std::string_view tenant,
                                                      std::int64_t first_us, std::int64_t last_us,
                                                      const std::vector<std::string>& values) const {
  const std::int64_t era_ms = bucket_ms(slot_ms_);
  const Timestamp first = slot_of(first_us), end = slot_of(last_us) + slot_ms_;
  const Timestamp first_era = model::window_start(first, era_ms);
  std::vector<Timestamp> eras;
  if (end - first_era > kErasAtOnce * era_ms) {
    const RowRead read{
        &tables_.message_time_windows, {std::string(tenant)}, timestamp_cell(first_era), timestamp_cell(end), {}};
    VARVE_RETURN_IF_ERROR(rows_.read({&read, 1}, {}, [&](std::size_t, const RowView& row) -> Status {
      VARVE_ASSIGN_OR_RETURN(const Timestamp era, timestamp_of(row.cells[0]));
      eras.push_back(era);
      return {};
    }));
  } else {
    for (Timestamp era = first_era; era < end; era += era_ms) eras.push_back(era);
  }
  std::vector<RowRead> reads;
  for (const Timestamp era : eras) {
    RowRead& read = reads.emplace_back();
    read.table = &table;
    read.partition = {std::string(tenant), timestamp_cell(era)};
    if (era < first) read.from = timestamp_cell(first);
    if (end < era + era_ms) read.until = timestamp_cell(end);
    read.values = values;
  }
  return reads;
}

Status MessageTables::read_buckets(std::string_view tenant, std::int64_t first_us, std::int64_t last_us,
                                   Slots& slots) const {
  VARVE_ASSIGN_OR_RETURN(const auto reads, era_reads(tables_.message_buckets, tenant, first_us, last_us, {}));
  return rows_.read(reads, {}, [&](std::size_t, const RowView& row) -> Status {
    if (row.cells.size() != 3) return bad_message_row("not three cells");
    VARVE_ASSIGN_OR_RETURN(const Timestamp slot, timestamp_of(row.cells[0]));
    VARVE_ASSIGN_OR_RETURN(const HotBucket bucket, bucket_of(row.cells[1], row.cells[2]));
    slots[slot].buckets.push_back(bucket);
    return {};
  });
}

Status MessageTables::read_heads(std::string_view tenant, Slots& slots, std::int64_t arrived_us) const {
  std::vector<RowRead> reads;
  std::vector<std::pair<SlotMessages*, const HotBucket*>> of_read;
  for (auto& [slot, of_slot] : slots) {
    std::ranges::sort(of_slot.buckets);
    for (const HotBucket& bucket : of_slot.buckets) {
      reads.push_back({&tables_.messages, hot_partition(tenant, slot, bucket), {}, {}, {"head"}});
      if (arrived_us > 0) reads.back().from = bigint_cell(arrived_us);
      of_read.emplace_back(&of_slot, &bucket);
    }
  }
  VARVE_RETURN_IF_ERROR(rows_.read(reads, {}, [&](std::size_t read, const RowView& row) -> Status {
    if (row.cells.size() != 2) return bad_message_row("not two cells");
    HotMessages hot{*of_read[read].second, 0, {}};
    VARVE_ASSIGN_OR_RETURN(hot.arrived_us, bigint_of(row.cells[0]));
    VARVE_ASSIGN_OR_RETURN(hot.head, decode_hot_head(row.cells[1]));
    of_read[read].first->hot.push_back(hot);
    return {};
  }));
  for (auto& [slot, of_slot] : slots) {
    std::ranges::sort(of_slot.hot, {}, [](const HotMessages& hot) { return std::pair(hot.bucket, hot.arrived_us); });
  }
  return {};
}

Result<std::vector<SlotMessages>> MessageTables::read_new(std::string_view tenant, std::int64_t arrived_us,
                                                          std::int64_t but_of_source) const {
  const RowRead windows{&tables_.message_time_windows, {std::string(tenant)}, {}, {}, {}};
  std::vector<RowRead> reads;
  VARVE_RETURN_IF_ERROR(rows_.read({&windows, 1}, {}, [&](std::size_t, const RowView& row) -> Status {
    reads.push_back({&tables_.message_buckets, {std::string(tenant), std::string(row.cells[0])}, {}, {}, {}});
    return {};
  }));
  Slots slots;
  VARVE_RETURN_IF_ERROR(rows_.read(reads, {}, [&](std::size_t, const RowView& row) -> Status {
    if (row.cells.size() != 3) return bad_message_row("not three cells");
    VARVE_ASSIGN_OR_RETURN(const Timestamp slot, timestamp_of(row.cells[0]));
    VARVE_ASSIGN_OR_RETURN(const HotBucket bucket, bucket_of(row.cells[1], row.cells[2]));
    if (bucket.source != but_of_source && bucket.ends_us() > arrived_us) slots[slot].buckets.push_back(bucket);
    return {};
  }));
  VARVE_RETURN_IF_ERROR(read_heads(tenant, slots, arrived_us));
  std::vector<SlotMessages> out;
  for (auto& [slot, of_slot] : slots) {
    of_slot.slot = slot;
    out.push_back(std::move(of_slot));
  }
  return out;
}

Status MessageTables::read_sealed(std::string_view tenant, std::int64_t first_us, std::int64_t last_us,
                                  Slots& slots) const {
  VARVE_ASSIGN_OR_RETURN(auto reads, era_reads(tables_.message_slots, tenant, first_us, last_us, {"sealed"}));
  const std::size_t slot_reads = reads.size();
  for (std::size_t i = 0; i < slot_reads; ++i) {
    RowRead marks = reads[i];
    marks.table = &tables_.message_erasures;
    marks.values = {"mark"};
    reads.push_back(std::move(marks));
  }
  VARVE_RETURN_IF_ERROR(rows_.read(reads, {}, [&](std::size_t read, const RowView& row) -> Status {
    const bool is_mark = read >= slot_reads;
    if (row.cells.size() != (is_mark ? 3 : 2)) return bad_message_row("too few cells, or too many");
    VARVE_ASSIGN_OR_RETURN(const Timestamp slot, timestamp_of(row.cells[0]));
    if (!is_mark) {
      VARVE_ASSIGN_OR_RETURN(slots[slot].sealed, decode_sealed_messages(row.cells[1]));
      return {};
    }
    VARVE_ASSIGN_OR_RETURN(EraseMark mark, decode_erase_mark(row.cells[2]));
    VARVE_ASSIGN_OR_RETURN(mark.version, bigint_of(row.cells[1]));
    slots[slot].marks.push_back(std::move(mark));
    return {};
  }));
  return {};
}

Result<std::vector<SlotMessages>> MessageTables::read(std::string_view tenant, std::int64_t first_us,
                                                      std::int64_t last_us) const {
  std::vector<SlotMessages> out;
  if (first_us > last_us) return out;
  Slots slots;
  VARVE_RETURN_IF_ERROR(read_buckets(tenant, first_us, last_us, slots));
  VARVE_RETURN_IF_ERROR(read_heads(tenant, slots));
  VARVE_RETURN_IF_ERROR(read_sealed(tenant, first_us, last_us, slots));
  for (auto& [slot, of_slot] : slots) {
    of_slot.slot = slot;
    out.push_back(std::move(of_slot));
  }
  return out;
}

Result<SlotMessages> MessageTables::read_slot(std::string_view tenant, Timestamp slot) const {
  VARVE_ASSIGN_OR_RETURN(auto slots, read(tenant, slot * 1000, slot * 1000 + slot_ms_ * 1000 - 1));
  check(slots.size() <= 1, "a slot was asked for");
  if (slots.empty()) return SlotMessages{slot, {}, {}, {}, {}};
  return std::move(slots.front());
}

Status MessageTables::read_hot(std::string_view tenant, Timestamp slot, std::span<const HotMessages> wanted,
                               const EachHot& each) const {
  check(!wanted.empty(), "some rows are asked for");
  std::vector<RowRead> reads;
  std::vector<std::span<const HotMessages>> left;  // of each read: what has not come yet
  for (std::size_t at = 0; at < wanted.size();) {
    std::size_t end = at + 1;
    while (end < wanted.size() && wanted[end].bucket == wanted[at].bucket) ++end;
    RowRead& read = reads.emplace_back(
        RowRead{&tables_.messages, hot_partition(tenant, slot, wanted[at].bucket), {}, {}, {"value"}});
    read.from = bigint_cell(wanted[at].arrived_us);
    read.until = bigint_cell(wanted[end - 1].arrived_us + 1);
    left.push_back(wanted.subspan(at, end - at));
    at = end;
  }
  VARVE_RETURN_IF_ERROR(rows_.read(reads, {}, [&](std::size_t read, const RowView& row) -> Status {
    if (row.cells.size() != 2) return bad_message_row("not two cells");
    VARVE_ASSIGN_OR_RETURN(const std::int64_t arrived_us, bigint_of(row.cells[0]));
    if (left[read].empty() || arrived_us != left[read].front().arrived_us) return {};
    const HotMessages& found = left[read].front();
    left[read] = left[read].subspan(1);
    std::string rows;
    VARVE_RETURN_IF_ERROR(decode_hot_messages(row.cells[1], found.head, rows));
    return each(found, std::move(rows));
  }));
  if (std::ranges::all_of(left, &std::span<const HotMessages>::empty)) return {};
  return fail(Code::unavailable, "messages were sealed while they were read: ask again");
}

std::shared_ptr<const message::block::Sections> MessageTables::sections(std::string_view tenant, Timestamp slot,
                                                                        const BlockName& block) const {
  RowRead read{&tables_.message_blocks, section_write(tenant, slot, block, 0, {}).partition, {}, {}, {"value"}};
  return std::make_shared<const StoredSections>(rows_, std::move(read), caches_);
}

Status MessageTables::all_buckets(const EachBucket& each) const {
  return rows_.read_all(tables_.message_buckets, {}, [&](const RowView& row) -> Status {
    if (row.cells.size() != 5) return bad_message_row("not five cells");
    VARVE_ASSIGN_OR_RETURN(const Timestamp slot, timestamp_of(row.cells[2]));
    VARVE_ASSIGN_OR_RETURN(const HotBucket bucket, bucket_of(row.cells[3], row.cells[4]));
    return each(row.cells[0], slot, bucket);
  });
}

}  // namespace varve::engine::cassandra
