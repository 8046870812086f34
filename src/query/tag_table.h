// SPDX-License-Identifier: Apache-2.0
// TagTable: the tags of a query's series, each distinct pair kept once, so that grouping and the unions of tag values
// in the answer work on small numbers: forty bytes a series of ten tags.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "model/ids.h"
#include "query/answer.h"
#include "query/budget.h"
#include "query/request.h"
#include "storage/series_store.h"

namespace varve::query {

// Which metric each of some series belongs to.
struct SeriesMetrics {
  std::vector<std::string> names;
  std::vector<std::uint32_t> name_of;  // of each series its position in `names`
};

class TagTable {
 public:
  // Reads the tags of `series`, which are then named by their position there. With `metrics` they have the tag
  // kNameTag, whatever else a tag of that key says. Error: limit.
  static Result<TagTable> read(const storage::SeriesStore& store, model::TenantId tenant,
                               std::span<const model::SeriesId> series, const SeriesMetrics& metrics, Budget& budget);

  // "" if the series has no such tag.
  [[nodiscard]] std::string_view value(std::size_t series, std::string_view key) const;

  // Order of two series by their tags: first key, its value, second key, …
  [[nodiscard]] bool before(std::size_t a, std::size_t b) const;

  // Sorted union of the tags of these series.
  [[nodiscard]] TagUnion merged(std::span<const std::uint32_t> series) const;

 private:
  [[nodiscard]] TagUnion tags_of(std::uint32_t series) const;
  struct Pair {
    std::string key;
    std::string value;
  };
  [[nodiscard]] std::span<const std::uint32_t> pairs_of(std::size_t series) const {
    return std::span(pairs_).subspan(ends_[series], ends_[series + 1] - ends_[series]);
  }

  std::deque<Pair> distinct_;
  std::unordered_map<std::string, std::uint32_t> numbers_;  // key length, key, value → position
  std::vector<std::uint32_t> pairs_;                        // of all series, one after the other
  std::vector<std::size_t> ends_{0};                        // where a series' pairs end
};

}  // namespace varve::query
