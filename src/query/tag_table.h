// SPDX-License-Identifier: Apache-2.0
// TagTable: the tags of a query's series, each distinct tag kept once, so that order, groups and the unions of tag
// values in the answer work on small numbers: forty bytes a series of ten tags.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
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

  // Distinct tags have numbers in order of key, then value.
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  // Of a series, ascending.
  [[nodiscard]] std::span<const std::uint32_t> tags_of(std::size_t series) const {
    return std::span(tags_).subspan(ends_[series], ends_[series + 1] - ends_[series]);
  }
  // kNone if the series has no such tag.
  [[nodiscard]] std::uint32_t find(std::size_t series, std::string_view key) const;
  // A key and its tags: [first, last).
  struct Key {
    std::string name;
    std::uint32_t first = 0, last = 0;
    [[nodiscard]] bool has(std::uint32_t tag) const { return first <= tag && tag < last; }
  };
  [[nodiscard]] const Key& key_of(std::uint32_t tag) const;
  // "" of kNone.
  [[nodiscard]] std::string_view value_of(std::uint32_t tag) const {
    return tag == kNone ? std::string_view() : std::string_view(values_[tag]);
  }

  // "" if the series has no such tag.
  [[nodiscard]] std::string_view value(std::size_t series, std::string_view key) const {
    return value_of(find(series, key));
  }

  // Order of two series by their tags: first key, its value, second key, …
  [[nodiscard]] bool before(std::size_t a, std::size_t b) const {
    return std::ranges::lexicographical_compare(tags_of(a), tags_of(b));
  }

  // Sorted union of the tags of these series.
  [[nodiscard]] TagUnion merged(std::span<const std::uint32_t> series) const;

 private:
  class Reader;
  // `tags`: ascending.
  [[nodiscard]] TagUnion union_of(std::span<const std::uint32_t> tags) const;

  std::vector<Key> keys_;             // sorted
  std::vector<std::string> values_;   // by number of the tag
  std::vector<std::uint32_t> tags_;   // of all series, one after the other
  std::vector<std::size_t> ends_{0};  // where a series' tags end
};

}  // namespace varve::query
