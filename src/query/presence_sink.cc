// SPDX-License-Identifier: Apache-2.0
#include "query/presence_sink.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "model/value.h"

namespace varve::query {

namespace {

// What one call has seen, for the thread that it runs on.
std::vector<Seen>& scratch() {
  thread_local std::vector<Seen> seen;
  seen.clear();
  return seen;
}

// Times of one call ascend.
void see(std::vector<Seen>& seen, std::size_t window, std::uint64_t points, model::Timestamp first_ms) {
  if (seen.empty() || seen.back().window != window) seen.push_back({window, 0, first_ms});
  seen.back().points += points;
}

// Not NaN and no infinity: rollups do not count those.
bool is_counted(const storage::Piece& piece, std::size_t i) {
  return piece.type != model::ValueType::double_ || std::isfinite(std::bit_cast<double>(piece.bits[i]));
}

}  // namespace

bool PresenceSink::takes_stats(const storage::ChunkStats& stats) {
  return range_.contains(stats.first_time) && range_.contains(stats.last_time) &&
         index(stats.first_time) == index(stats.last_time);
}

void PresenceSink::stats(const storage::ChunkStats& stats) {
  ticket_.count().chunk();
  const Seen seen{index(stats.first_time), stats.count, stats.first_time};
  note(stats.series, {&seen, 1});
}

bool PresenceSink::takes_windows(std::size_t, model::TimeRange range, std::int64_t width_ms) {
  return width_ms_ % width_ms == 0 && range.first >= range_.first && range.last <= range_.last;
}

void PresenceSink::window_columns(const storage::WindowColumns& windows) {
  ticket_.count().windows(windows.width_ms, windows.size());
  std::vector<Seen>& seen = scratch();
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const model::Timestamp start = windows.starts[i];
    see(seen, index(start), windows.counts[i], start + static_cast<std::int64_t>(windows.offsets[i]));
  }
  note(windows.series, seen);
}

Status PresenceSink::piece(const storage::Piece& piece) {
  ticket_.count().samples(piece.size());
  std::vector<Seen>& seen = scratch();
  for (std::size_t i = 0; i < piece.size(); ++i) {
    if (is_counted(piece, i)) see(seen, index(piece.times[i]), 1, piece.times[i]);
  }
  return seen.empty() ? Status{} : add(piece.series, seen);
}

TotalsSink::TotalsSink(std::size_t series, model::TimeRange range, std::int64_t width_ms,
                       RunningQueries::Ticket& ticket)
    : PresenceSink(range, width_ms, ticket), totals_(windows()), marks_((series * windows() + 63) / 64) {}

Status TotalsSink::add(std::size_t series, std::span<const Seen> seen) {
  const MutexLock lock(mutex_);
  for (const Seen& one : seen) {
    Total& total = totals_[one.window];
    total.first_ms = total.series == 0 ? one.first_ms : std::min(total.first_ms, one.first_ms);
    total.points += one.points;
    const std::size_t mark = series * totals_.size() + one.window;
    const std::uint64_t bit = std::uint64_t{1} << (mark % 64);
    if ((marks_[mark / 64] & bit) == 0) ++total.series;
    marks_[mark / 64] |= bit;
  }
  return {};
}

void TotalsSink::append_to(std::vector<MetricWindow>& out, std::size_t limit) const {
  const MutexLock lock(mutex_);
  for (std::size_t w = 0; w < totals_.size() && out.size() < limit; ++w) {
    const Total& total = totals_[w];
    if (total.series != 0) out.push_back({start(w), total.first_ms, total.series, total.points});
  }
}

Status RowsSink::add(std::size_t series, std::span<const Seen> seen) {
  std::vector<SeriesWindow>& row = rows_[series];
  const std::size_t before = row.capacity();
  for (const Seen& one : seen) {
    const model::Timestamp at = start(one.window);
    auto found = row.end();
    if (!row.empty() && row.back().start >= at) found = std::ranges::lower_bound(row, at, {}, &SeriesWindow::start);
    if (found == row.end() || found->start != at) {
      row.insert(found, {at, one.first_ms, one.points});
    } else {
      found->first_ms = std::min(found->first_ms, one.first_ms);
      found->points += one.points;
    }
  }
  const std::size_t more = (row.capacity() - before) * sizeof(SeriesWindow);
  if (more == 0) return {};
  charged_ += more;
  return budget_.charge(more);
}

}  // namespace varve::query
