// SPDX-License-Identifier: Apache-2.0
#include "message/made_ids.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "base/bytes.h"
#include "base/check.h"
#include "base/random.h"

namespace varve::message {
namespace {

constexpr std::size_t kPlacesMin = 64;

// Senders who know the hashes of what they send do not know in which place these begin.
std::uint64_t spread() {
  static const std::uint64_t number = random_number() | 1;
  return number;
}

// In place of the computed one.
void give_last(Batch& batch, const Id& id) {
  constexpr std::size_t kCellBytes = 1 + kIdBytes;
  batch.reserve(kCellBytes);
  std::byte* const row = batch.last();
  CellReader reader = RowView{row}.reader();
  const std::byte* behind = reader.at();
  for (Cell cell; reader.next(cell) && cell.column < Column::id;) behind = reader.at();
  const std::size_t at = static_cast<std::size_t>(behind - row), bytes = RowView{row}.bytes();
  std::memmove(row + at + kCellBytes, row + at, bytes - at);
  row[at] = static_cast<std::byte>(Column::id);
  std::memcpy(row + at + 1, id.data(), kIdBytes);
  store_le(row, static_cast<std::uint32_t>(bytes + kCellBytes));
  store_le(row + 4, static_cast<std::uint16_t>(RowView{row}.cells() + 1));
  set_nanos(row, RowView{row}.nanos(), std::nullopt);
  batch.lengthen_last(kCellBytes);
}

}  // namespace

std::optional<std::uint32_t> repeat_of_id(RowView row) {
  if (const auto repeat = row.repeat()) return repeat;
  const auto cell = row.cell(Column::id);
  if (!cell) return std::nullopt;
  // Other senders' ids are seldom of the same time.
  constexpr std::size_t kTimeBytes = 6;
  const Id of_time = made_id(row.time_us(), 0);
  if (!std::equal(of_time.begin(), of_time.begin() + kTimeBytes, cell->text.begin())) return std::nullopt;
  const std::uint64_t hash = content_hash(row);
  for (std::uint32_t repeat = 0; repeat <= kRepeatMax; ++repeat) {
    if (std::ranges::equal(content_id(row.time_us(), hash, repeat), cell->text)) return repeat;
  }
  return std::nullopt;
}

void MadeIds::number(Batch& batch) {
  const RowView row{batch.last()};
  check(row.repeat() == 0U, "the id is computed");
  const auto at = static_cast<std::size_t>(row.at - batch.bytes().data());
  check(at >= noted_to_, "a request's rows stay in its batch");
  const Instant now{row.time_us(), row.nanos()};
  if (ascends_ && (!last_ || now > *last_)) {
    last_ = now;
    noted_to_ = at;
    return;
  }
  if (ascends_ && now < *last_) {
    ascends_ = false;
    noted_to_ = first_at_;
  }
  note_skipped(batch, at);
  const std::uint64_t hash = content_hash(row);
  Seen& same = seen(hash);
  const std::uint32_t repeat = same.times++;
  if (repeat > kRepeatMax) {
    give_last(batch, content_id(row.time_us(), hash, repeat));
  } else {
    set_nanos(batch.last(), row.nanos(), repeat);
  }
  noted_to_ = batch.bytes().size();
}

// Up to `end`, whose contents nobody has looked at. Of equal ones the first stands for all: the others were counted
// when they came.
void MadeIds::note_skipped(const Batch& batch, std::size_t end) {
  for (std::size_t at = noted_to_; at < end;) {
    const RowView row{batch.bytes().data() + at};
    if (row.repeat() == 0U) {
      Seen& same = seen(content_hash(row));
      same.times = std::max(same.times, 1U);
    }
    at += row.bytes();
  }
}

MadeIds::Seen& MadeIds::seen(std::uint64_t hash) {
  if (2 * (taken_ + 1) > places_.size()) grow();
  Seen& place = place_of(hash);
  if (place.times == 0) ++taken_;
  place.hash = hash;
  return place;
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
