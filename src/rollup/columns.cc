// SPDX-License-Identifier: Apache-2.0
#include "rollup/columns.h"

#include <algorithm>
#include <bit>

#include "base/check.h"

namespace varve::rollup {

void Columns::clear() {
  starts.clear();
  counts.clear();
  offsets.clear();
  sums.clear();
  mins.clear();
  maxs.clear();
  lasts.clear();
  last_types.clear();
  histograms.clear();
  histogram_offsets.clear();
  merged.clear();
  has_histograms = false;
}

// Those of an empty window mean nothing.
void Columns::set_text(std::size_t at, const Window& window) {
  static constexpr TextPart kNone;
  const TextPart& text = window.text == nullptr ? kNone : *window.text;
  lasts[at] = text.last;
  last_types[at] = text.last_type;
  if (text.histograms == 0) return;
  has_histograms = true;
  const auto count = static_cast<std::int64_t>(text.histograms);
  histograms[at] = text.exact ? count : -count;
  histogram_offsets[at] = text.first_histogram - window.start;
  merged[at] = text.merged;
}

void Columns::add(Kind kind, std::span<const Window> windows) {
  const std::size_t before = starts.size();
  const std::size_t size = before + windows.size();
  check(counts.size() == before && (kind == Kind::text ? lasts.size() : sums.size()) == before,
        "columns are equally long, and of one kind of windows");
  starts.resize(size);
  counts.resize(size);
  offsets.resize(size);
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const Window& w = windows[i];
    starts[before + i] = w.start;
    counts[before + i] = static_cast<std::int64_t>(w.count);
    offsets[before + i] = w.first_time - w.start;
  }
  if (kind == Kind::text) {
    lasts.resize(size);
    last_types.resize(size);
    histograms.resize(size);
    histogram_offsets.resize(size);
    merged.resize(size);
    for (std::size_t i = 0; i < windows.size(); ++i) set_text(before + i, windows[i]);
    return;
  }
  sums.resize(size);
  for (std::size_t i = 0; i < windows.size(); ++i) sums[before + i] = std::bit_cast<std::uint64_t>(windows[i].sum);
  if (kind == Kind::counter) return;
  mins.resize(size);
  maxs.resize(size);
  for (std::size_t i = 0; i < windows.size(); ++i) {
    mins[before + i] = std::bit_cast<std::uint64_t>(windows[i].min);
    maxs[before + i] = std::bit_cast<std::uint64_t>(windows[i].max);
  }
}

void Columns::add(const Columns& from, std::size_t first, std::size_t count) {
  check(first + count <= from.starts.size(), "they are there");
  const auto append = [first, count](auto& column, const auto& more) {
    if (more.empty()) return;  // of another kind
    const auto begin = more.begin() + static_cast<std::ptrdiff_t>(first);
    column.insert(column.end(), begin, begin + static_cast<std::ptrdiff_t>(count));
  };
  append(starts, from.starts);
  append(counts, from.counts);
  append(offsets, from.offsets);
  append(sums, from.sums);
  append(mins, from.mins);
  append(maxs, from.maxs);
  append(lasts, from.lasts);
  append(last_types, from.last_types);
  append(histograms, from.histograms);
  append(histogram_offsets, from.histogram_offsets);
  append(merged, from.merged);
  const auto added = std::span(histograms).last(histograms.empty() ? 0 : count);
  has_histograms = has_histograms || std::ranges::any_of(added, [](std::int64_t n) { return n != 0; });
}

void Columns::fill_extremes() {
  mins.resize(starts.size(), std::bit_cast<std::uint64_t>(kUnknown));
  maxs.resize(starts.size(), std::bit_cast<std::uint64_t>(kUnknown));
}

}  // namespace varve::rollup
