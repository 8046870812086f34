// SPDX-License-Identifier: Apache-2.0
#include "query/tag_table.h"

#include <algorithm>
#include <tuple>

namespace varve::query {

namespace {

constexpr std::size_t kBatch = 4096;  // series whose tags are strings at one time

void set_name(model::Tags& tags, const std::string& name) {
  const auto at =
      std::ranges::lower_bound(tags, kNameTag, {}, [](const auto& tag) { return std::string_view(tag.first); });
  if (at != tags.end() && at->first == kNameTag) {
    at->second = name;
  } else {
    tags.emplace(at, kNameTag, name);
  }
}

}  // namespace

Result<TagTable> TagTable::read(const storage::SeriesStore& store, model::TenantId tenant,
                                std::span<const model::SeriesId> series, const SeriesMetrics& metrics, Budget& budget) {
  TagTable out;
  std::string name;
  for (std::size_t from = 0; from < series.size(); from += kBatch) {
    const auto batch = series.subspan(from, std::min(kBatch, series.size() - from));
    const std::size_t pairs_before = out.pairs_.size();
    std::size_t bytes = batch.size() * sizeof(std::size_t);
    for (model::Tags& tags : store.tags(tenant, batch)) {
      if (!metrics.names.empty()) set_name(tags, metrics.names[metrics.name_of[out.ends_.size() - 1]]);
      for (const auto& [key, value] : tags) {
        const auto key_bytes = static_cast<std::uint32_t>(key.size());
        name.assign(reinterpret_cast<const char*>(&key_bytes), sizeof key_bytes).append(key).append(value);
        const auto [at, is_new] = out.numbers_.try_emplace(name, static_cast<std::uint32_t>(out.distinct_.size()));
        if (is_new) {
          out.distinct_.push_back({key, value});
          bytes += 2 * name.size() + 128;
        }
        out.pairs_.push_back(at->second);
      }
      out.ends_.push_back(out.pairs_.size());
    }
    bytes += (out.pairs_.size() - pairs_before) * sizeof(std::uint32_t);
    VARVE_RETURN_IF_ERROR(budget.charge(bytes));
  }
  return out;
}

std::string_view TagTable::value(std::size_t series, std::string_view key) const {
  for (const std::uint32_t pair : pairs_of(series)) {
    if (distinct_[pair].key == key) return distinct_[pair].value;
  }
  return {};
}

bool TagTable::before(std::size_t a, std::size_t b) const {
  return std::ranges::lexicographical_compare(pairs_of(a), pairs_of(b), [&](std::uint32_t x, std::uint32_t y) {
    return x != y && std::tie(distinct_[x].key, distinct_[x].value) < std::tie(distinct_[y].key, distinct_[y].value);
  });
}

// Sorted, as a series' tags are.
TagUnion TagTable::tags_of(std::uint32_t series) const {
  const auto pairs = pairs_of(series);
  TagUnion out;
  out.reserve(pairs.size());
  for (const std::uint32_t pair : pairs) {
    const auto& [key, value] = distinct_[pair];
    out.emplace_back(key, std::vector<std::string>{value});
  }
  return out;
}

TagUnion TagTable::merged(std::span<const std::uint32_t> series) const {
  if (series.size() == 1) return tags_of(series[0]);
  std::vector<std::uint32_t> all;
  std::vector<bool> seen(distinct_.size());
  for (const std::uint32_t s : series) {
    for (const std::uint32_t pair : pairs_of(s)) {
      if (seen[pair]) continue;
      seen[pair] = true;
      all.push_back(pair);
    }
  }
  std::ranges::sort(all, [&](std::uint32_t a, std::uint32_t b) {
    const Pair& x = distinct_[a];
    const Pair& y = distinct_[b];
    return x.key != y.key ? x.key < y.key : x.value < y.value;
  });
  TagUnion out;
  for (const std::uint32_t pair : all) {
    const auto& [key, value] = distinct_[pair];
    if (out.empty() || out.back().first != key) out.emplace_back(key, std::vector<std::string>());
    out.back().second.push_back(value);
  }
  return out;
}

}  // namespace varve::query
