// SPDX-License-Identifier: Apache-2.0
// WantedSeries: the series of one definition that share a tag set, looked up together before anything is created.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "index/catalog.h"

namespace varve::index {

// Reused from call to call. One thread.
class WantedSeries {
 public:
  struct Item {
    std::string_view metric_name;
    std::uint32_t metric;   // kNone: new
    std::uint32_t series;   // kNone: new
    std::uint32_t same_as;  // the first item that is the same new series; else its own position
  };

  void clear() { items_.clear(); }
  void add(std::string_view metric_name, std::uint32_t metric) {
    items_.push_back({metric_name, metric, kNone, static_cast<std::uint32_t>(items_.size())});
  }
  // Fills in the rest of the items; `tag_set` is kNone if it is new.
  void look_up(const Catalog& catalog, std::uint32_t tag_set);

  [[nodiscard]] std::vector<Item>& items() { return items_; }
  // Distinct new series, after look_up().
  [[nodiscard]] std::size_t new_count() const { return new_count_; }

 private:
  void find_same();

  std::vector<Item> items_;
  std::vector<std::uint32_t> order_;  // of the new items, by metric
  std::size_t new_count_ = 0;
};

}  // namespace varve::index
