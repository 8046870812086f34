// SPDX-License-Identifier: Apache-2.0
// Definition records (docs/formats/definitions.md): encoding, and decoding of untrusted bytes. Whether records are
// consistent is checked by replay.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/ids.h"

namespace varve::index {

// On disk: DO NOT CHANGE THE NUMBERS. High four bits: version of the format.
enum class DefinitionKind : std::uint8_t {
  tag_set_gap = 0x10,
  tenant = 0x11,
  metric = 0x12,
  key = 0x13,
  pair = 0x14,
  tag_set = 0x15,
  series = 0x16,
  group = 0x17,
  forget = 0x18,
  revive = 0x19,
  mortal_group = 0x1a,  // a group whose samples have a TTL
  series_gap = 0x1b,
  group_gap = 0x1c,
  metric_gap = 0x1d,
  key_gap = 0x1e,
  pair_gap = 0x1f
};

inline constexpr std::size_t kTextBytesMax = 0xffff;
inline constexpr std::size_t kGroupColumnsMax = 16384;

struct Definition {
  DefinitionKind kind = DefinitionKind::tenant;
  std::uint32_t id = 0;              // series, forget, revive, gaps: the first id
  std::uint32_t owner = 0;           // metric, key: tenant; pair: key; series: tag set; forget, revive, gaps: how many;
                                     // mortal group: seconds to live
  std::string_view text;             // name or value; a view of the input
  std::vector<std::uint32_t> parts;  // tag set: pairs; series: metrics; group: series
};

void write_tenant(std::string& out, std::uint32_t id, std::string_view name);
// Writes a metric, key or pair.
void write_owned(std::string& out, DefinitionKind kind, std::uint32_t id, std::uint32_t owner, std::string_view text);
void write_tag_set(std::string& out, std::uint32_t id, std::span<const std::uint32_t> pairs);
void write_series(std::string& out, std::uint32_t first, std::uint32_t tag_set, std::span<const std::uint32_t> metrics);
// ttl_s 0: none.
void write_group(std::string& out, std::uint32_t id, std::span<const model::SeriesId> series, std::uint32_t ttl_s);

// Writes a forget or revive record, or a gap: `count` series, or things of another kind, from `first` on.
void write_range(std::string& out, DefinitionKind kind, std::uint32_t first, std::uint32_t count);

// Reads records one by one. Safe for untrusted bytes; a record takes at most a few times its size in memory.
class DefinitionReader {
 public:
  explicit DefinitionReader(std::span<const std::byte> bytes)
      : begin_(bytes.data()), at_(begin_), end_(begin_ + bytes.size()) {}

  [[nodiscard]] bool done() const { return at_ == end_; }
  // The offset of the next record.
  [[nodiscard]] std::size_t offset() const { return static_cast<std::size_t>(at_ - begin_); }
  // Errors: corrupt, unsupported (another version); the reader does not move then.
  Status next(Definition& definition);

 private:
  const std::byte* begin_;
  const std::byte* at_;
  const std::byte* end_;
};

// Bytes of as many whole records as take no more than `most`; of one at least. All, if none can be read.
std::size_t whole_records(std::string_view definitions, std::size_t most);

}  // namespace varve::index
