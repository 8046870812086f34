// SPDX-License-Identifier: Apache-2.0
#include "index/wanted_series.h"

#include <algorithm>

namespace varve::index {

void WantedSeries::look_up(const Catalog& catalog, std::uint32_t tag_set) {
  order_.clear();
  for (Item& item : items_) {
    const bool is_known = item.metric != kNone && tag_set != kNone;
    item.series = is_known ? catalog.find_series(item.metric, tag_set) : kNone;
    if (item.series == kNone) order_.push_back(static_cast<std::uint32_t>(&item - items_.data()));
  }
  find_same();
}

void WantedSeries::find_same() {
  const auto is_same = [](const Item& a, const Item& b) {
    return a.metric == b.metric && (a.metric != kNone || a.metric_name == b.metric_name);
  };
  std::ranges::sort(order_, [this, &is_same](std::uint32_t a, std::uint32_t b) {
    const Item& x = items_[a];
    const Item& y = items_[b];
    if (is_same(x, y)) return a < b;
    return x.metric != y.metric ? x.metric < y.metric : x.metric_name < y.metric_name;
  });
  new_count_ = order_.size();
  for (std::size_t i = 1; i < order_.size(); ++i) {
    const Item& before = items_[order_[i - 1]];
    Item& item = items_[order_[i]];
    if (!is_same(item, before)) continue;
    item.same_as = before.same_as;
    --new_count_;
  }
}

}  // namespace varve::index
