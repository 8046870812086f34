// SPDX-License-Identifier: Apache-2.0
#include "rollup/columns.h"

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
  if (kind == Kind::text) {
    lasts.resize(size);
    last_types.resize(size);
    histograms.resize(size);
    histogram_offsets.resize(size);
    merged.resize(size);
  }
  if (kind != Kind::text) sums.resize(size);
  if (kind == Kind::gauge) mins.resize(size), maxs.resize(size);
  for (std::size_t i = 0, at = before; i < windows.size(); ++i, ++at) {
    const Window& w = windows[i];
    starts[at] = w.start;
    counts[at] = static_cast<std::int64_t>(w.count);
    offsets[at] = w.first_time - w.start;
    if (kind == Kind::text) {
      set_text(at, w);
      continue;
    }
    sums[at] = std::bit_cast<std::uint64_t>(w.sum);
    if (kind == Kind::counter) continue;
    mins[at] = std::bit_cast<std::uint64_t>(w.min);
    maxs[at] = std::bit_cast<std::uint64_t>(w.max);
  }
}

void Columns::fill_extremes() {
  mins.resize(starts.size(), std::bit_cast<std::uint64_t>(kUnknown));
  maxs.resize(starts.size(), std::bit_cast<std::uint64_t>(kUnknown));
}

}  // namespace varve::rollup
