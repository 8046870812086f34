// SPDX-License-Identifier: Apache-2.0
#include "engine/shared/reconcile.h"

#include <algorithm>
#include <tuple>

#include "base/check.h"

namespace varve::engine::shared {
namespace {

struct Cell {
  std::uint32_t series;
  std::uint32_t group;
  std::uint16_t column;
  std::uint32_t ttl_s;
};

// Samples of one series, sorted: of equal times the winner comes last.
void patch_losers(std::span<const SeriesMerge::Sample> samples, Patches& patches) {
  for (std::size_t first = 0; first < samples.size();) {
    std::size_t last = first;
    while (last + 1 < samples.size() && samples[last + 1].time == samples[first].time) ++last;
    for (std::size_t i = first; i < last; ++i) {
      const auto& loser = samples[i];
      std::size_t later = last;
      while (samples[later].brevity > loser.brevity) --later;  // ends at the loser, at the latest
      check(later >= i, "a loser's winner is not before it");
      const auto& winner = samples[later];
      if (loser.group == winner.group && loser.column == winner.column) continue;
      if (loser.value == winner.value) continue;
      patches[loser.group].push_back({loser.time, loser.column, winner.value});
    }
    first = last + 1;
  }
}

}  // namespace

Result<Patches> reconcile(std::span<const SharedGroup> groups,
                          const std::function<Status(SeriesMerge&, std::uint32_t group, std::uint16_t column)>& add) {
  Patches patches;
  std::vector<Cell> cells;
  for (const auto& [group, ttl_s, series] : groups) {
    for (std::uint16_t c = 0; c < series.size(); ++c) cells.push_back({model::to_int(series[c]), group, c, ttl_s});
  }
  std::sort(cells.begin(), cells.end(), [](const Cell& a, const Cell& b) {
    return std::tie(a.series, a.group, a.column) < std::tie(b.series, b.group, b.column);
  });
  SeriesMerge merge;
  for (std::size_t first = 0; first < cells.size();) {
    std::size_t end = first + 1;
    while (end < cells.size() && cells[end].series == cells[first].series) ++end;
    if (end - first > 1) {
      merge.clear();
      for (std::size_t i = first; i < end; ++i) {
        merge.live(cells[i].ttl_s, model::kAllTime.first);
        VARVE_RETURN_IF_ERROR(add(merge, cells[i].group, cells[i].column));
      }
      patch_losers(merge.sorted(), patches);
    }
    first = end;
  }
  return patches;
}

}  // namespace varve::engine::shared
