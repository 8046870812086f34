// SPDX-License-Identifier: Apache-2.0
#include "storage/row_check.h"

#include <string>

#include "base/log.h"
#include "model/time.h"

namespace varve::storage {

void RowCheck::catch_up(const index::SeriesIndex& index) {
  for (const std::size_t end = index.group_count(); groups_ < end; ++groups_) {
    const auto group = static_cast<std::uint32_t>(groups_);
    const auto [piece, at] = place_of(group);
    if (owned_[piece] == nullptr) {
      owned_[piece] = std::make_unique<Width[]>(std::size_t{1} << (piece + kFirstBits));
      pieces_[piece].store(owned_[piece].get(), std::memory_order_release);
    }
    const std::size_t width = index.group_series(model::GroupId{group}).size();
    owned_[piece][at].store(static_cast<std::uint16_t>(width), std::memory_order_relaxed);
  }
}

std::size_t RowCheck::fitting_bytes(const std::byte* at, const std::byte* end) const {
  const auto left = static_cast<std::size_t>(end - at);
  if (left < model::kRowHeadBytes) return 0;
  const model::RowView row{at};
  const std::uint16_t shape = row.shape();
  const std::uint16_t count = row.count();
  // Nearly all rows are of whole or decimal numbers: what check_row() sees in those is seen here at once.
  const bool is_plain = (shape & 0xe0f8) == 0 && row.decimals() <= 22 && count != 0;
  const std::size_t plain_bytes = model::kRowHeadBytes + (std::size_t{count} << (shape & 3));
  const std::size_t bytes = is_plain && plain_bytes <= left ? plain_bytes : model::check_row(at, end);
  // Both ends at once: what is before the first time is far behind the last one then.
  constexpr auto kTimes =
      static_cast<std::uint64_t>(model::kTimestampMax) - static_cast<std::uint64_t>(model::kTimestampMin);
  const std::uint64_t time = static_cast<std::uint64_t>(row.time()) - static_cast<std::uint64_t>(model::kTimestampMin);
  return width_of(row.group()) == count && time <= kTimes ? bytes : 0;
}

bool RowCheck::fits(std::span<const std::byte> rows) const {
  const std::byte* at = rows.data();
  const std::byte* const end = at + rows.size();
  while (at != end) {
    const std::size_t bytes = fitting_bytes(at, end);
    if (bytes == 0) return false;
    at += bytes;
  }
  return true;
}

RowCheck::Rest RowCheck::leave_out(const model::RowBatch& batch) const {
  Rest rest;
  for (auto rows = batch.bytes(); !rows.empty();) {
    const std::size_t bytes = model::check_row(rows.data(), rows.data() + rows.size());
    if (bytes == 0) break;  // nobody knows where the next one begins
    if (fitting_bytes(rows.data(), rows.data() + rows.size()) > 0) rest.batch.add(model::RowView{rows.data()});
    rows = rows.subspan(bytes);
  }
  const std::size_t rows = batch.rows() - rest.batch.rows();
  rest.error = {rest.batch.empty() ? Code::corrupt : Code::invalid,
                std::to_string(rows) +
                    (rows == 1 ? " row does not fit its line group" : " rows do not fit their line groups") +
                    (rest.batch.empty() ? "" : "; the others are kept")};
  const std::uint64_t refusals = refusals_.fetch_add(1, std::memory_order_relaxed) + 1;
  if (std::has_single_bit(refusals)) {
    log::error("rows that the program made are refused: this is a fault of varve, please report it",
               {{"rows", rows}, {"of", batch.rows()}, {"batches_so_far", refusals}});
  }
  return rest;
}

}  // namespace varve::storage
