// SPDX-License-Identifier: Apache-2.0
#include "chunk/times.h"

#include <algorithm>
#include <array>

#include "base/check.h"
#include "chunk/block.h"

namespace varve::chunk {
namespace {

using TimeSpan = std::span<const model::Timestamp>;

constexpr std::size_t kGridRowsMin = 8;

std::uint64_t distance(model::Timestamp from, model::Timestamp to) {
  return static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
}

template <class T>
std::uint64_t nearest(T distance, T step) {
  return distance / step + (std::uint64_t{distance % step} * 2 >= step);
}

// Grid steps that a distance is nearest to. Numbers of 32 bits are divided several times as fast.
std::uint64_t steps_in(std::uint64_t distance, std::uint64_t step) {
  if (((distance | step) >> 32) != 0) return nearest(distance, step);
  return nearest(static_cast<std::uint32_t>(distance), static_cast<std::uint32_t>(step));
}

std::uint64_t median_distance(TimeSpan times) {
  std::array<std::uint64_t, 31> some{};
  const std::size_t distances = times.size() - 1;
  const std::size_t n = std::min(distances, some.size());
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t at = i * distances / n;
    some[i] = distance(times[at], times[at + 1]);
  }
  std::nth_element(some.begin(), some.begin() + n / 2, some.begin() + n);
  return some[n / 2];
}

}  // namespace

// Fills offsets_, gaps_ and step_; false if there is no grid worth it.
bool TimesWriter::lay_grid(TimeSpan times) {
  if (times.size() < kGridRowsMin) return false;
  const std::uint64_t about = median_distance(times);
  if (about < 2) return false;
  std::uint64_t steps = 0;
  gaps_.clear();
  std::size_t next = 1;
  std::size_t gaps = 0;
  const std::uint64_t least = (about + 1) / 2;  // of what is one step; less than `least + about`
  offsets_.resize(times.size());
  offsets_[0] = 0;
  for (std::size_t i = 1; i < times.size(); ++i) {
    const std::uint64_t apart = distance(times[i - 1], times[i]);
    if (apart - least < about) {  // mostly, and without a division
      ++steps;
    } else {
      const std::uint64_t here = steps_in(apart, about);
      check(here != 1, "one step is told from others");
      steps += here;
      if (++gaps > times.size() / 8) return false;
      gaps_.varint(i - next);
      gaps_.varint(here);
      next = i + 1;
    }
    offsets_[i] = static_cast<std::int64_t>(distance(times[0], times[i]) - steps * about);
  }
  if (steps == 0) return false;
  step_ = steps_in(distance(times.front(), times.back()), steps);
  if (step_ != about) lay_offsets(times);
  return true;
}

// By step_ and gaps_.
void TimesWriter::lay_offsets(TimeSpan times) {
  Cursor gap(gaps_.view());
  std::size_t gap_at = gap.left() != 0 ? 1 + static_cast<std::size_t>(gap.varint()) : 0;
  std::uint64_t grid = static_cast<std::uint64_t>(times[0]);
  for (std::size_t i = 0; i < times.size(); ++i) {
    std::uint64_t here = i == 0 ? 0 : 1;
    if (i == gap_at && i != 0) {
      here = gap.varint();
      gap_at = gap.left() != 0 ? i + 1 + static_cast<std::size_t>(gap.varint()) : 0;
    }
    grid += here * step_;
    offsets_[i] = static_cast<std::int64_t>(static_cast<std::uint64_t>(times[i]) - grid);
  }
  check(gap.ok() && gap.left() == 0, "gaps are read as they were written");
}

void TimesWriter::write(TimeSpan times, SequenceWriter& sequences, Sections& out) {
  if (std::equal(times.begin(), times.end(), before_.begin(), before_.end())) {
    out.heads().byte(static_cast<unsigned>(TimesKind::same));
    return;
  }
  const model::Timestamp origin = before_.empty() ? 0 : before_.front();
  const Range range{times.front(), times.back()};
  check(range.min <= range.max, "times ascend");
  // Only a jittering clock is worth the look: differences of a regular one need no bits at all.
  const Plan plain = make_plan(times, range);
  bool grid = false;
  Range offsets{};
  Plan of_offsets;
  if (plain.bits > 64 && lay_grid(times)) {
    offsets = range_of(offsets_);
    of_offsets = make_plan(offsets_, offsets);
    grid = of_offsets.bits + 8.0 * static_cast<double>(gaps_.size()) + 48 < plain.bits;
  }
  out.heads().byte(static_cast<unsigned>(grid ? TimesKind::grid : TimesKind::sequence));
  Bytes& params = out.params();
  params.varint(times.size());
  params.zigzag(distance(origin, times.front()));
  params.varint(distance(times.front(), times.back()));
  if (grid) {
    params.varint(step_);
    params.varint(gaps_.size());
    out.side().add(gaps_.view());
    sequences.write(offsets_, offsets, of_offsets, 0, out);
  } else {
    sequences.write(times, range, plain, times.front(), out);
  }
  before_.assign(times.begin(), times.end());
}

}  // namespace varve::chunk
