// SPDX-License-Identifier: Apache-2.0
// Keys in RocksDB; docs/formats/keys.md. Numbers are big endian, signed ones with a flipped sign bit, so that keys sort
// as the numbers do.
//
// clang-format off
//   slot        := tenant:u32 granularity:i64 start:i64   (granularity 0: samples; below: messages of a class; from
//                                                          2^62 on: samples of a stratum, and its width)
//   block       'B' kind:u8 run:u64 slot first group:u32 → docs/formats/block.md
//   block       'b' slot run:u64 first group:u32         → likewise; written before version 0.2, read as long as kept
//   run         'r' slot run:u64                         → docs/formats/run.md; written after all its blocks
//   garbage     'g' slot run:u64                         → empty: there may be blocks that no run names
//   mark        's' slot                                 → docs/formats/run.md; how far the slot is rolled up
//   stats       'l' page:u32                             → docs/formats/series-stats.md; of 1024 series
//   definitions 'd' sequence:u64                         → zstd of definition records, in order of writing
//   checkpoint  'c'                                      → checkpoint.h
//   text        't' tenant:part service:part service key NUL key → the text; part := length:u16, bytes
//   text counts 'u'                                      → text_counts.h
//   copy        'A' and one of these keys, but of a block → its value, a second time
// clang-format on
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "message/classes.h"
#include "model/ids.h"
#include "model/time.h"

namespace varve::engine::rocksdb {

inline constexpr std::int64_t kMessageGranularity = -1;                     // of the default class
inline constexpr std::int64_t kStratumGranularity = std::int64_t{1} << 62;  // and the width of the stratum, ms

// A slot of one tenant: a raw slot, a level slot of one granularity, or a slot of the messages of one class. A raw slot
// is as wide as the store's chunks, or a stratum, which holds the samples of many such slots (runs/strata.h).
struct SlotKey {
  model::TenantId tenant{};
  std::int64_t granularity_ms = 0;  // of windows; 0 or from kStratumGranularity on: samples; below: messages
  model::Timestamp start = 0;
  [[nodiscard]] bool is_of_messages() const { return granularity_ms < 0; }
  [[nodiscard]] bool is_stratum() const { return granularity_ms >= kStratumGranularity; }
  [[nodiscard]] bool is_raw() const { return granularity_ms == 0 || is_stratum(); }
  // Of a raw slot.
  [[nodiscard]] std::int64_t raw_width_ms(std::int64_t chunk_width_ms) const {
    return is_stratum() ? granularity_ms - kStratumGranularity : chunk_width_ms;
  }
  [[nodiscard]] model::TimeRange raw_range(std::int64_t chunk_width_ms) const {
    return {start, start + raw_width_ms(chunk_width_ms)};
  }
  // Of messages.
  [[nodiscard]] message::ClassId class_id() const {
    return message::ClassId{static_cast<std::uint64_t>(kMessageGranularity - granularity_ms)};
  }
  auto operator<=>(const SlotKey&) const = default;
};
inline SlotKey message_slot(model::TenantId tenant, message::ClassId of, model::Timestamp start) {
  return {tenant, kMessageGranularity - static_cast<std::int64_t>(of), start};
}
// The stratum that contains `time`.
inline SlotKey stratum_slot(model::TenantId tenant, std::int64_t width_ms, model::Timestamp time) {
  return {tenant, kStratumGranularity + width_ms, model::window_start(time, width_ms)};
}
// Before all slots of the tenant's messages.
inline SlotKey before_messages(model::TenantId tenant) {
  return {tenant, std::numeric_limits<std::int64_t>::min(), model::kTimestampMin};
}

// Identifies a run. Of two runs of a slot, the one with the higher number wins.
struct RunKey {
  SlotKey slot;
  std::uint64_t run = 0;
  auto operator<=>(const RunKey&) const = default;
};

// The beginning of the keys of a run's blocks. Blocks that are written together lie together, and those that soon go,
// because they are merged with others, lie apart from those that stay: so what stays is not compacted again and again.
std::string block_prefix(const RunKey& run);
std::string old_block_prefix(const RunKey& run);  // of runs with Run::has_old_keys
std::string block_key(std::string_view prefix, model::GroupId first_group);
std::string run_key(const RunKey& run);
std::string garbage_key(const RunKey& run);
std::string stats_key(std::uint32_t page);
// `generation`, below 2^16, and `sequence`, below 2^48: docs/formats/keys.md.
std::string definitions_prefix(std::uint64_t generation);
std::string definitions_key(std::uint64_t generation, std::uint64_t sequence);
// Of definitions that were written anew as a whole, in parts.
std::string definitions_key(std::uint64_t generation, std::uint64_t sequence, std::uint32_t part);
// Safe for untrusted bytes. The number of the log's record; nullopt: the key is malformed.
std::optional<std::uint64_t> definitions_sequence(std::string_view key);
// Everything but blocks is there twice, so that a place of the disk that cannot be read any more does not take the
// whole store with it: a record, and its copy, which lies apart from it.
inline constexpr std::string_view kRecordKinds = "cdegklnrstuw";
inline constexpr std::string_view kCopyPrefix = "A";
inline bool is_of_record(std::string_view key) {  // or does a prefix say so?
  return !key.empty() && kRecordKinds.find(key[0]) != std::string_view::npos;
}
inline std::string copy_key(std::string_view key) { return std::string(kCopyPrefix).append(key); }

inline constexpr std::string_view kGenerationKey = "n";
inline constexpr std::string_view kCheckpointKey = "c";
inline constexpr std::string_view kTextPrefix = "t";
inline constexpr std::string_view kTextCountsKey = "u";

std::string mark_key(const SlotKey& slot);

// `place`: both keys (storage::text_place), or a prefix. Names must not exceed 65535 bytes.
std::string text_key(std::string_view tenant, std::string_view service, std::string_view place);

// False: it is not a key of that kind.
bool parse_run_key(std::string_view key, RunKey& run);
bool parse_block_key(std::string_view key, RunKey& run);  // of either age
bool parse_garbage_key(std::string_view key, RunKey& run);
bool parse_stats_key(std::string_view key, std::uint32_t& page);
bool parse_mark_key(std::string_view key, SlotKey& slot);

}  // namespace varve::engine::rocksdb
