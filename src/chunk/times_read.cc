// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>

#include "chunk/times.h"

namespace varve::chunk {

bool read_times(Places& places, const Times* before, Times& out) {
  const unsigned kind = places.heads.byte();
  if (!places.heads.ok() || kind > static_cast<unsigned>(TimesKind::grid)) return false;
  out = {};
  out.kind = static_cast<TimesKind>(kind);
  if (out.kind == TimesKind::same) {
    if (before == nullptr) return false;
    out = *before;
    return true;
  }
  out.number = before == nullptr ? 0 : before->number + 1;
  Cursor& params = places.params;
  const std::uint64_t rows = params.varint();
  if (rows == 0 || rows > kRowsMax) return false;
  out.rows = static_cast<std::size_t>(rows);
  const std::uint64_t origin = before == nullptr ? 0 : static_cast<std::uint64_t>(before->first);
  out.first = static_cast<std::int64_t>(origin + params.zigzag());
  out.last = static_cast<std::int64_t>(static_cast<std::uint64_t>(out.first) + params.varint());
  if (out.last < out.first) return false;
  if (out.kind == TimesKind::grid) {
    out.step = params.varint();
    const std::uint64_t bytes = params.varint();
    if (bytes > rows * 2 * codec::kVarintBytesMax) return false;
    out.gaps_at = places.side;
    out.gaps_bytes = static_cast<std::size_t>(bytes);
    places.side += out.gaps_bytes;
  }
  return read_sequence(places, out.rows, out.kind == TimesKind::grid ? 0 : out.first, out.sequence);
}

namespace {

constexpr std::size_t kTimesAtOnce = 256;  // where it is not known how many are in a range

// From front to back, as SequenceReader does.
class TimesReader {
 public:
  TimesReader(const Times& times, std::span<const std::byte> gaps, const SequenceBytes& bytes)
      : times_(&times),
        sequence_(times.sequence, bytes, times.rows),
        gaps_(gaps),
        grid_(static_cast<std::uint64_t>(times.first) - times.step) {
    if (is_grid()) next_gap(1);
  }
  [[nodiscard]] std::size_t at() const { return sequence_.at(); }
  [[nodiscard]] std::size_t left() const { return times_->rows - sequence_.at(); }

  bool skip(std::size_t rows) {
    const std::size_t end = at() + rows;
    for (std::size_t from = at(); is_grid() && from < end;) {
      const std::size_t until = std::min(end, gap_at_);
      grid_ += (until - from) * times_->step;
      from = until;
      if (from < end) step_over_gap(from++);
    }
    return sequence_.skip(rows) && is_good();
  }

  bool read(std::size_t rows, model::Timestamp* out) {
    // Signed and unsigned of one width may stand for each other.
    auto* const values = reinterpret_cast<std::uint64_t*>(out);
    const std::size_t from = at();
    if (!sequence_.read(rows, values)) return false;
    for (std::size_t i = 0; is_grid() && i < rows;) {
      const std::size_t until = std::min(rows, gap_at_ - from);
      const std::uint64_t step = times_->step;
      std::uint64_t grid = grid_;
      for (; i < until; ++i) values[i] += grid += step;
      grid_ = grid;
      if (i == rows) break;
      step_over_gap(from + i);
      values[i++] += grid_;
    }
    return is_good();
  }

 private:
  [[nodiscard]] bool is_grid() const { return times_->kind == TimesKind::grid; }
  [[nodiscard]] bool is_good() const { return gaps_.ok() && (left() != 0 || gaps_.left() == 0); }
  void next_gap(std::uint64_t from) {
    const std::uint64_t skip = gaps_.left() == 0 ? times_->rows : gaps_.varint();
    gap_at_ = skip < times_->rows - from ? static_cast<std::size_t>(from + skip) : times_->rows;
  }
  void step_over_gap(std::size_t row) {
    grid_ += gaps_.varint() * times_->step;
    next_gap(row + 1);
  }

  const Times* times_;
  SequenceReader sequence_;
  Cursor gaps_;
  std::size_t gap_at_ = 0;  // the row after the next gap; the number of rows if there is none
  std::uint64_t grid_;      // of the last row
};

// Skips rows that are before `first`, most of them: by halves of what is left, while these are many.
bool skip_before(model::Timestamp first, TimesReader& reader) {
  for (std::size_t stride = std::bit_floor(reader.left()); stride >= kTimesAtOnce; stride /= 2) {
    if (stride >= reader.left()) continue;
    TimesReader ahead = reader;
    if (!ahead.skip(stride)) return false;
    TimesReader beside = ahead;
    model::Timestamp time = 0;
    if (!beside.read(1, &time)) return false;
    if (time < first) reader = ahead;
  }
  return true;
}

}  // namespace

bool decode_times(const Times& times, std::span<const std::byte> gaps, const SequenceBytes& bytes,
                  model::TimeRange range, std::vector<model::Timestamp>& out, Rows& rows) {
  TimesReader reader(times, gaps, bytes);
  if (range.first > times.first && !skip_before(range.first, reader)) return false;
  const std::size_t from = reader.at();
  const bool is_to_end = range.last > times.last;
  if (is_to_end) out.resize(reader.left());
  std::size_t read = 0;
  while (reader.left() != 0 && (is_to_end || read == 0 || out[read - 1] < range.last)) {
    const std::size_t n = std::min(reader.left(), is_to_end ? kValuesAtOnce : kTimesAtOnce);
    if (out.size() < read + n) out.resize(read + n);
    if (!reader.read(n, out.data() + read)) return false;
    read += n;
  }
  out.resize(read);
  bool ascending = true;
  for (std::size_t i = 1; i < read; ++i) ascending &= out[i - 1] < out[i];
  if (!ascending || (from == 0 && out.front() != times.first)) return false;
  if (reader.left() == 0 && out.back() != times.last) return false;
  const auto first = std::ranges::lower_bound(out, range.first);
  const auto last = std::ranges::lower_bound(first, out.end(), range.last);
  rows = {from + static_cast<std::size_t>(first - out.begin()), static_cast<std::size_t>(last - first)};
  out.erase(last, out.end());
  out.erase(out.begin(), first);
  return true;
}

}  // namespace varve::chunk
