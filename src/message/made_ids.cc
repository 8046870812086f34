// SPDX-License-Identifier: Apache-2.0
#include "message/made_ids.h"

#include <algorithm>
#include <array>
#include <bit>
#include <random>
#include <utility>

#include "base/bytes.h"
#include "codec/hash.h"

namespace varve::message {
namespace {

constexpr std::size_t kPlacesMin = 64;

// Senders who know the hashes of what they send do not know in which place these begin.
std::uint64_t spread() {
  static const std::uint64_t number = [] {
    std::random_device random;
    return std::uint64_t{random()} << 32 | random() | 1;
  }();
  return number;
}

std::uint64_t hash_of_repeat(std::uint64_t hash, std::uint32_t times) {
  std::array<std::byte, 4> bytes;
  store_le(bytes.data(), times);
  return codec::hash64({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, hash);
}

}  // namespace

std::uint64_t content_hash(std::int64_t time_us, unsigned nanos, std::span<const std::byte> cells_before_id,
                           std::span<const std::byte> cells_behind_id) {
  std::array<std::byte, 12> time;
  store_le(time.data(), time_us);
  store_le(time.data() + 8, std::uint32_t{nanos});
  std::uint64_t hash = 0;
  for (const std::span<const std::byte> bytes : {std::span<const std::byte>(time), cells_before_id, cells_behind_id}) {
    hash = codec::hash64({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, hash);
  }
  return hash;
}

Id content_id(std::int64_t time_us, std::uint64_t hash, std::uint32_t repeat) {
  return made_id(time_us, repeat == 0 ? hash : hash_of_repeat(hash, repeat));
}

std::optional<std::uint32_t> repeat_of_id(RowView row) {
  const std::byte* const cells = row.at + kRowHeadBytes;
  CellReader reader = row.reader();
  const std::byte* id_at = reader.at();
  Cell cell;
  while (reader.next(cell) && cell.column < Column::id) id_at = reader.at();
  if (cell.column != Column::id) return std::nullopt;
  // Other senders' ids are seldom of the same time.
  constexpr std::size_t kTimeBytes = 6;
  const Id of_time = made_id(row.time_us(), 0);
  if (!std::equal(of_time.begin(), of_time.begin() + kTimeBytes, cell.text.begin())) return std::nullopt;
  const std::byte* const rest = id_at + 1 + kIdBytes;
  const std::uint64_t hash = content_hash(row.time_us(), row.nanos(), {cells, id_at},
                                          {rest, static_cast<const std::byte*>(row.at + row.bytes())});
  for (std::uint32_t repeat = 0; repeat <= kRepeatsKnownMax; ++repeat) {
    if (std::ranges::equal(content_id(row.time_us(), hash, repeat), cell.text)) return repeat;
  }
  return std::nullopt;
}

Id MadeIds::of(std::int64_t time_us, std::uint64_t hash) {
  if (2 * (taken_ + 1) > places_.size()) grow();
  Seen& seen = place_of(hash);
  if (seen.times == 0) ++taken_;
  seen.hash = hash;
  return content_id(time_us, hash, seen.times++);
}

MadeIds::Seen& MadeIds::place_of(std::uint64_t hash) {
  const std::size_t mask = places_.size() - 1;
  std::size_t at = hash * spread() >> (64 - std::countr_zero(places_.size()));
  while (places_[at].times != 0 && places_[at].hash != hash) at = (at + 1) & mask;
  return places_[at];
}

void MadeIds::grow() {
  const std::vector<Seen> before = std::exchange(places_, std::vector<Seen>(std::max(kPlacesMin, 2 * places_.size())));
  for (const Seen& one : before) {
    if (one.times != 0) place_of(one.hash) = one;
  }
}

}  // namespace varve::message
