// SPDX-License-Identifier: Apache-2.0
// Gaps: ids that were used, and of which nothing is known any more.
#include "base/check.h"
#include "index/catalog.h"

namespace varve::index {

void Catalog::add_metric_gap(std::uint32_t count) { metrics.push_gap({kNone, kNone, kEmptyList, 0}, count); }
void Catalog::add_key_gap(std::uint32_t count) { keys.push_gap({kNone, kNone, {}, 0}, count); }
void Catalog::add_pair_gap(std::uint32_t count) { pairs.push_gap({kNone, kNone, kEmptyList, 0}, count); }
void Catalog::add_tag_set_gap(std::uint32_t count) { tag_sets.push_gap({kNone, kNone, kNone, 0}, count); }

void Catalog::add_series_gap(std::uint32_t count) {
  forgotten_.resize(series.size());  // those behind the last forgotten one are there
  forgotten_.resize(series.size() + std::size_t{count}, true);
  series.push_gap({kNone, kNone, kEmptyList}, count);
  gaps_ += count;
}

void Catalog::add_group_gap(std::uint32_t count) { groups.push_gap({0, 0}, count); }

bool Catalog::is_metric_unused(std::uint32_t id) const {
  return postings.walk(metrics[id].series, [this](std::uint32_t one) { return is_gap(one); });
}

bool Catalog::is_key_unused(std::uint32_t id) const {
  return postings.walk(keys[id].pairs.ids, [this](std::uint32_t pair) { return is_pair_gap(pair); });
}

bool Catalog::is_pair_unused(std::uint32_t id) const {
  return postings.walk(pairs[id].tag_sets, [this](std::uint32_t tag_set) { return is_tag_set_gap(tag_set); });
}

bool Catalog::is_tag_set_unused(std::uint32_t id) const {
  bool all = true;
  walk_series(id, [&](std::uint32_t one) { return all = is_gap(one); });
  return all;
}

bool Catalog::is_series_unused(std::uint32_t id) const {
  return is_forgotten(id) &&
         postings.walk(series[id].groups, [this](std::uint32_t group) { return is_group_gap(group); });
}

bool Catalog::is_group_unused(std::uint32_t id) const {
  const auto is_gone = [this](model::SeriesId one) { return is_forgotten(model::to_int(one)); };
  return ttl_of(id) == 0 && std::ranges::all_of(series_of(groups[id]), is_gone);
}

void Catalog::leave_out_series(std::uint32_t id) {
  check(is_forgotten(id), "a series that leaves is forgotten");
  series[id].metric = kNone;
  series[id].groups = kEmptyList;
  ++gaps_;
  ++left_in_place_;
}

}  // namespace varve::index
