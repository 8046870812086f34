// SPDX-License-Identifier: Apache-2.0
#include "message/sorted_rows.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

namespace varve::message {
namespace {

// A row with its time beside it, so that most comparisons do not look into the row.
struct TimedRow {
  std::int64_t time_us;
  RowView row;
};

bool comes_before(const TimedRow& a, const TimedRow& b) {
  if (a.time_us != b.time_us) return a.time_us < b.time_us;
  return time_order(a.row) < time_order(b.row);
}

// Senders write in order, so what several of them wrote consists of few ascending stretches, which are merged.
void sort_stretches(std::vector<TimedRow>& rows) {
  std::vector<std::ptrdiff_t> ends{0};
  while (ends.back() != std::ssize(rows)) {
    ends.push_back(std::is_sorted_until(rows.begin() + ends.back(), rows.end(), comes_before) - rows.begin());
  }
  while (ends.size() > 2) {
    std::vector<std::ptrdiff_t> merged{0};
    for (std::size_t i = 2; i < ends.size(); i += 2) {
      std::inplace_merge(rows.begin() + ends[i - 2], rows.begin() + ends[i - 1], rows.begin() + ends[i], comes_before);
      merged.push_back(ends[i]);
    }
    if (merged.back() != std::ssize(rows)) merged.push_back(std::ssize(rows));
    ends = std::move(merged);
  }
}

// The next row begins where this one says, so the processor waits for each; what comes is asked for meanwhile.
void fetch_ahead(const std::byte* at, std::size_t bytes, const std::byte* end) {
  constexpr std::size_t kAhead = 2048, kCacheLine = 64;
  if (static_cast<std::size_t>(end - at) < kAhead + bytes) return;
  for (std::size_t line = 0; line < bytes; line += kCacheLine) __builtin_prefetch(at + kAhead + line);
}

}  // namespace

std::vector<RowView> sorted_rows(std::span<const std::span<const std::byte>> pieces) {
  std::vector<TimedRow> rows;
  for (const auto& piece : pieces) {
    for (const std::byte *at = piece.data(), *const end = at + piece.size(); at != end;) {
      const RowView row{at};
      const std::size_t bytes = row.bytes();
      fetch_ahead(at, bytes, end);
      rows.push_back({row.time_us(), row});
      at += bytes;
    }
  }
  sort_stretches(rows);
  std::vector<RowView> sorted;
  sorted.reserve(rows.size());
  for (const TimedRow& of : rows) sorted.push_back(of.row);
  return sorted;
}

}  // namespace varve::message
