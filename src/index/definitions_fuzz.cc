// SPDX-License-Identifier: Apache-2.0
// Replay of arbitrary bytes: no crash; what was applied dumps to records that give the same index again.
#include <algorithm>
#include <cstdlib>
#include <string>

#include "index/series_index.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using varve::index::SeriesIndex;
  const auto bytes = std::as_bytes(std::span(data, size));
  SeriesIndex index;
  const bool whole = index.replay(bytes).has_value();
  // A few bytes can leave out a thousand million ids: looking at each takes seconds.
  constexpr std::uint32_t kIdsMax = 1'000'000;
  if (index.series_end() > kIdsMax || index.group_count() > kIdsMax) return 0;
  std::string dump;
  index.dump(dump);
  SeriesIndex again;
  if (!again.replay(std::as_bytes(std::span(dump)))) std::abort();
  std::string second;
  again.dump(second);
  if (second != dump) std::abort();
  std::string left;
  std::string left_out;
  if (!index.dump_what_is_left(left, left_out)) std::abort();
  SeriesIndex less;
  if (!less.replay(std::as_bytes(std::span(left)))) std::abort();
  if (less.series_count() != index.series_count() || less.series_end() != index.series_end()) std::abort();
  // The same in place.
  if (!again.replay(std::as_bytes(std::span(left_out)))) std::abort();
  std::string in_place, anew;
  again.dump(in_place);
  less.dump(anew);
  if (in_place != anew) std::abort();
  if (whole && !index.replay(bytes)) std::abort();  // known records are compared and skipped

  varve::model::TagViews tags;
  std::vector<varve::index::Place> places;
  for (std::uint32_t i = 0; i < index.series_end(); ++i) {
    const varve::model::SeriesId id{i};
    if (index.is_forgotten(id)) continue;
    index.tags(id, tags);
    index.places(id, places);
    const auto found = index.select(index.series_tenant(id), index.metric(id), {});
    if (!std::binary_search(found->begin(), found->end(), id)) std::abort();
    if (i == 100) break;
  }
  return 0;
}
