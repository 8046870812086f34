// SPDX-License-Identifier: Apache-2.0
// WantedSeries: the series of one definition that share a tag set, looked up together before anything is created.
//
// It builds their canonical keys (model/series_key.h), encoding the tags once, finds which series exist, and detects
// both kinds of hash collisions of new ones: with a known series and with each other. Two different keys with one hash
// are an error, never merged.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "index/catalog.h"
#include "model/tags.h"

namespace varve::index {

// Reused from call to call. One thread.
class WantedSeries {
 public:
  struct Item {
    std::string_view metric_name;
    std::uint32_t metric;   // kNone: new
    std::uint32_t series;   // kNone: new
    std::uint32_t same_as;  // the first item that is the same new series; else its own position
    Catalog::Identity identity;
  };

  void start(const model::TagViews& tags);
  void add(std::string_view metric_name, std::uint32_t metric) {
    items_.push_back({metric_name, metric, kNone, static_cast<std::uint32_t>(items_.size()), {}});
  }
  // Fills in the rest of the items; `tag_set` is kNone if it is new. Error: corrupt (a collision of hashes).
  Status look_up(const Catalog& catalog, std::uint32_t tenant, std::uint32_t tag_set);

  [[nodiscard]] std::vector<Item>& items() { return items_; }
  // Distinct new series, after look_up().
  [[nodiscard]] std::size_t new_count() const { return new_count_; }

 private:
  Status find_same();
  model::SeriesSetHash hash(std::string_view metric);

  std::string key_;  // room for the metric, then the tags
  std::vector<Item> items_;
  std::vector<std::uint32_t> order_;  // of the new items, by hash
  std::size_t new_count_ = 0;
};

}  // namespace varve::index
