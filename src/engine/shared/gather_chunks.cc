// SPDX-License-Identifier: Apache-2.0
// Gathering where all comes from chunks, as in merging and sealing. What follows one another for long in one chunk is a
// stretch, which is found by its ends.
#include <algorithm>
#include <limits>
#include <numeric>

#include "engine/shared/gather.h"

namespace varve::engine::shared {
namespace {

using model::Timestamp;

// The first row from `from` on, which is before `end`, that is not: by steps of twice the length.
std::size_t row_of(std::span<const Timestamp> times, std::size_t from, Timestamp end) {
  std::size_t step = 1;
  while (from + step < times.size() && times[from + step] < end) {
    from += step;
    step *= 2;
  }
  const auto rest = times.subspan(from + 1, std::min(step, times.size() - from) - 1);
  return from + 1 + static_cast<std::size_t>(std::ranges::lower_bound(rest, end) - rest.begin());
}

}  // namespace

// The cursor with the earliest row, of equal ones that of the chunk added last: the others pass over it. `end`: where
// other chunks have their next row. nullptr: something has changed, or nothing is left.
Gather::Cursor* Gather::next_cursor(Timestamp& end) {
  Cursor* next = nullptr;
  Timestamp first = std::numeric_limits<Timestamp>::max();
  end = first;
  for (Cursor& cursor : merging_) {
    const Timestamp time = chunks_[cursor.chunk].times[cursor.at];
    if (next != nullptr && time == first) {
      ++(cursor.chunk < next->chunk ? cursor : *next).at;
      return nullptr;
    }
    if (next == nullptr || time < first) {
      end = first;
      first = time;
      next = &cursor;
    } else {
      end = std::min(end, time);
    }
  }
  if (waiting_.empty()) return next;
  const Timestamp begins = chunks_[waiting_.back()].times.front();
  if (next != nullptr && begins > first) {
    end = std::min(end, begins);
    return next;
  }
  merging_.push_back({waiting_.back(), 0});
  waiting_.pop_back();
  return nullptr;
}

// Its rows before `end`.
void Gather::take(Cursor& cursor, Timestamp end) {
  const auto& times = chunks_[cursor.chunk].times;
  const auto to = static_cast<std::uint32_t>(row_of(times, cursor.at, end));
  stretches_.push_back({times_.size(), cursor.chunk, cursor.at, to - cursor.at});
  times_.insert(times_.end(), times.begin() + cursor.at, times.begin() + to);
  cursor.at = to;
}

void Gather::merge_chunks() {
  stretches_.clear();
  times_.clear();
  merging_.clear();
  waiting_.resize(chunks_used_);
  std::iota(waiting_.begin(), waiting_.end(), 0U);
  std::ranges::sort(waiting_, std::ranges::greater(), [this](std::uint32_t c) { return chunks_[c].times.front(); });
  while (!merging_.empty() || !waiting_.empty()) {
    Timestamp end = 0;
    if (Cursor* const next = next_cursor(end)) take(*next, end);
    std::erase_if(merging_, [this](const Cursor& c) { return c.at == chunks_[c.chunk].times.size(); });
  }
}

}  // namespace varve::engine::shared
