// SPDX-License-Identifier: Apache-2.0
#include "aggregate/across.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>
#include <vector>

namespace varve::aggregate {

namespace {

using model::Timestamp;
using model::ValueType;

// Ascending, of lists that are.
std::vector<Timestamp> all_times(std::span<const std::span<const Timestamp>> lists) {
  if (lists.size() == 1) return {lists[0].begin(), lists[0].end()};
  auto left = all_times(lists.first(lists.size() / 2));
  const auto right = all_times(lists.subspan(lists.size() / 2));
  if (left == right) return left;
  std::vector<Timestamp> out;
  out.reserve(std::max(left.size(), right.size()));
  std::ranges::set_union(left, right, std::back_inserter(out));
  return out;
}

// Series of one grid have the same times, mostly in one place, too.
std::vector<Timestamp> all_times(std::span<const SeriesView> series, const Filling& filling) {
  std::vector<std::span<const Timestamp>> lists;
  if (!filling.times.empty()) lists.push_back(filling.times);
  for (const SeriesView& one : series) {
    if (lists.empty() || !std::ranges::equal(lists.back(), one.all_times())) lists.push_back(one.all_times());
  }
  return all_times(lists);
}

// The values at some neighbouring times, series by series, in a table of a row a time that stays in the cache.
class Table {
 public:
  Table(Reducer reducer, std::span<const SeriesView> series, const Filling& filling)
      : reducer_(reducer),
        filling_(filling),
        line_(interpolates(reducer)),
        series_(series),
        next_(series.size()),
        rows_max_(std::max<std::size_t>(1, kCells / series.size())),
        used_(rows_max_),
        whole_(rows_max_),
        doubles_(rows_max_ * series.size()),
        longs_(rows_max_ * series.size()) {}

  [[nodiscard]] std::size_t rows_max() const { return rows_max_; }

  void read(std::span<const Timestamp> times) {
    std::ranges::fill(used_, 0);
    std::ranges::fill(whole_, true);
    for (std::size_t s = 0; s < series_.size(); ++s) read_series(s, times);
  }

  void reduce_into(Points& out, std::size_t row) {
    const std::size_t at = row * series_.size();
    const std::size_t n = used_[row];
    const bool countable = n > 0 && (whole_[row] || reducer_ == Reducer::count);
    const auto whole = countable ? reduce_longs(reducer_, std::span(longs_).subspan(at, n)) : std::nullopt;
    const double value = whole    ? 0
                         : n == 0 ? std::numeric_limits<double>::quiet_NaN()
                                  : reduce(reducer_, std::span(doubles_).subspan(at, n));
    out.types.push_back(whole ? ValueType::long_ : ValueType::double_);
    out.bits.push_back(whole ? std::bit_cast<std::uint64_t>(*whole) : std::bit_cast<std::uint64_t>(value));
  }

 private:
  static constexpr std::size_t kCells = 16'384;

  void read_series(std::size_t s, std::span<const Timestamp> times) {
    const SeriesView& points = series_[s];
    std::size_t& next = next_[s];
    for (std::size_t row = 0; row < times.size(); ++row) {
      while (next < points.size && points.times[next] < times[row]) ++next;
      if (next < points.size && points.times[next] == times[row]) {
        put_sample(row, points, next);
      } else if (!filling_.times.empty() && times[row] <= filling_.times.back()) {
        if (filling_.with_zero) put_zero(row);
      } else if (next == points.size) {
        return;
      } else if (line_ && next > 0) {
        put_line(row, points, next, times[row]);
      }
    }
  }

  void put_sample(std::size_t row, const SeriesView& points, std::size_t i) {
    const double value = points.number(i);
    if (std::isnan(value)) return;
    const std::size_t at = row * series_.size() + used_[row]++;
    doubles_[at] = value;
    if (points.type_of(i) == ValueType::long_) {
      longs_[at] = std::bit_cast<std::int64_t>(points.bits[i]);
    } else {
      whole_[row] = false;
    }
  }

  void put_zero(std::size_t row) {
    const std::size_t at = row * series_.size() + used_[row]++;
    doubles_[at] = 0;
    longs_[at] = 0;
  }

  void put_line(std::size_t row, const SeriesView& points, std::size_t next, Timestamp time) {
    const double before = points.number(next - 1);
    const double after = points.number(next);
    const double part = static_cast<double>(time - points.times[next - 1]) /
                        static_cast<double>(points.times[next] - points.times[next - 1]);
    const double value = before + part * (after - before);
    if (std::isnan(value)) return;
    doubles_[row * series_.size() + used_[row]++] = value;
    whole_[row] = false;
  }

  const Reducer reducer_;
  const Filling filling_;
  const bool line_;
  const std::span<const SeriesView> series_;
  std::vector<std::size_t> next_;  // of each series: the first sample not before the current time
  const std::size_t rows_max_;
  std::vector<std::size_t> used_;  // of each row: values in it
  std::vector<char> whole_;        // of each row: all are longs
  std::vector<double> doubles_;
  std::vector<std::int64_t> longs_;
};

}  // namespace

Result<Points> across(Reducer reducer, std::span<const SeriesView> series, const std::function<Status()>& alive,
                      const Filling& filling) {
  Points out;
  if (series.empty()) return out;
  out.times = all_times(series, filling);
  VARVE_RETURN_IF_ERROR(alive());
  out.types.reserve(out.times.size());
  out.bits.reserve(out.times.size());
  Table table(reducer, series, filling);
  for (std::size_t from = 0; from < out.times.size(); from += table.rows_max()) {
    VARVE_RETURN_IF_ERROR(alive());
    const std::size_t rows = std::min(table.rows_max(), out.times.size() - from);
    table.read(std::span(out.times).subspan(from, rows));
    for (std::size_t row = 0; row < rows; ++row) table.reduce_into(out, row);
  }
  if (!out.types.empty()) out.type = out.types[0];
  if (std::ranges::all_of(out.types, [&](ValueType t) { return t == out.type; })) out.types = {};
  return out;
}

}  // namespace varve::aggregate
