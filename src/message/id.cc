// SPDX-License-Identifier: Apache-2.0
#include "message/id.h"

#include <algorithm>
#include <limits>

#include "base/bytes.h"
#include "base/check.h"
#include "codec/hash.h"

namespace varve::message {
namespace {

// Big endian: ids sort by their bytes.
void put(Id& id, std::size_t at, std::size_t bytes, std::uint64_t value) {
  for (std::size_t i = 0; i < bytes; ++i) id[at + i] = static_cast<char>(value >> (8 * (bytes - 1 - i)));
}

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::uint64_t hash_of_repeat(std::uint64_t hash, std::uint32_t repeat) {
  std::array<std::byte, 4> bytes;
  store_le(bytes.data(), repeat);
  return codec::hash64(text_of(bytes), hash);
}

}  // namespace

Id made_id(std::int64_t time_us, std::uint64_t arrival) {
  constexpr std::uint64_t kVersion = 0x8000;
  constexpr std::uint64_t kVariant = std::uint64_t{1} << 63;
  Id id{};
  // 48 bits of ms, 4 of version, 12 of arrival, 2 of variant, 62 of which the lowest 52 are the rest of the arrival.
  put(id, 0, 6, static_cast<std::uint64_t>(time_us / 1000));
  put(id, 6, 2, kVersion | arrival >> 52);
  put(id, 8, 8, kVariant | (arrival & ((std::uint64_t{1} << 52) - 1)));
  return id;
}

std::optional<IdTimes> time_of_made_id(std::string_view id_bytes, std::int64_t first_us, std::int64_t last_us) {
  check(id_bytes.size() == kIdBytes, "an id has 16 bytes");
  constexpr std::uint64_t kMask = (std::uint64_t{1} << 48) - 1;
  std::uint64_t ms = 0;  // its lowest 48 bits
  for (std::size_t i = 0; i < 6; ++i) ms = ms << 8 | static_cast<unsigned char>(id_bytes[i]);
  const std::int64_t first_ms = first_us / 1000, last_ms = last_us / 1000;
  // The first such time from `first_ms` on; only one can be there, as no two times are so far apart that it matters.
  const std::int64_t behind = static_cast<std::int64_t>((ms - static_cast<std::uint64_t>(first_ms)) & kMask);
  if (behind > last_ms - first_ms) return std::nullopt;
  const std::int64_t found_ms = first_ms + behind;
  // A division goes towards zero: from 999 us before it on the one side of zero, to 999 us behind it on the other.
  IdTimes times{found_ms * 1000, found_ms * 1000};
  constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min(),
                         kMax = std::numeric_limits<std::int64_t>::max();
  if (found_ms <= 0) times.first_us = std::max(times.first_us, kMin + 999) - 999;
  if (found_ms >= 0) times.last_us = std::min(times.last_us, kMax - 999) + 999;
  return times;
}

std::uint64_t content_hash(RowView row) {
  std::array<std::byte, 12> time;
  store_le(time.data(), row.time_us());
  store_le(time.data() + 8, std::uint32_t{row.nanos()});
  CellReader reader = row.reader();
  const std::byte* const cells = reader.at();
  const std::byte *id_at = cells, *behind = cells;
  for (Cell cell; reader.next(cell) && cell.column <= Column::id;) {
    behind = reader.at();
    if (cell.column != Column::id) id_at = behind;
  }
  std::uint64_t hash = codec::hash64(text_of(time));
  hash = codec::hash64(text_of({cells, id_at}), hash);
  return codec::hash64(text_of({behind, row.at + row.bytes()}), hash);
}

Id content_id(std::int64_t time_us, std::uint64_t hash, std::uint32_t repeat) {
  return made_id(time_us, repeat == 0 ? hash : hash_of_repeat(hash, repeat));
}

bool has_lasting_id(RowView row) { return row.repeat() || row.cell(Column::id); }

Id id_of(RowView row) {
  if (const auto repeat = row.repeat()) return content_id(row.time_us(), content_hash(row), *repeat);
  const auto cell = row.cell(Column::id);
  if (!cell) return made_id(row.time_us(), row.arrival());
  Id id{};
  std::copy_n(cell->text.begin(), kIdBytes, id.begin());
  return id;
}

codec::Hash128 identity_of(RowView row) {
  const auto* const bytes = reinterpret_cast<const char*>(row.at);
  if (has_lasting_id(row)) {
    constexpr std::size_t kTimeAt = 8, kTimeBytes = 8;
    const Id id = id_of(row);
    std::string key(id.begin(), id.end());
    key.append(bytes + kTimeAt, kTimeBytes).append(std::to_string(row.nanos()));
    return codec::hash128(key);
  }
  std::string all(bytes, row.bytes());
  set_arrival(reinterpret_cast<std::byte*>(all.data()), 0);
  return codec::hash128(all);
}

}  // namespace varve::message
