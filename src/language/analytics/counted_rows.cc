// SPDX-License-Identifier: Apache-2.0
#include "language/analytics/counted_rows.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace varve::language::analytics {

CountedRows::Group CountedRows::group_of(const MessageRows& rows, std::size_t i) const {
  Group out;
  std::string* key = &out.before;
  for (const std::size_t place : query_.sort) {
    const Selected& selected = query_.select[place];
    if (selected.of == Selected::Of::count) {
      key = &out.after;
    } else {
      append_sort_key(*key, rows.value(i, selected));
    }
  }
  for (const Selected& selected : query_.select) {
    if (selected.of != Selected::Of::count) append_sort_key(out.selected, rows.value(i, selected));
  }
  return out;
}

void CountedRows::add(const MessageRows& rows, std::size_t i, std::uint64_t times) {
  json_.clear();
  rows.append_group(json_, i);
  const auto [found, is_new] = groups_.try_emplace(json_);
  if (is_new) {
    found->second = group_of(rows, i);
    const Group& group = found->second;
    bytes_ += sizeof *found + found->first.size() + group.before.size() + group.after.size() + group.selected.size();
  }
  found->second.count += times;
}

std::vector<std::string> CountedRows::take() {
  using Entry = std::pair<std::string, Group>;
  std::vector<Entry> entries;
  entries.reserve(groups_.size());
  while (!groups_.empty()) {
    auto node = groups_.extract(groups_.begin());
    entries.emplace_back(std::move(node.key()), std::move(node.mapped()));
  }
  const auto is_count = [&](std::size_t place) { return query_.select[place].of == Selected::Of::count; };
  const bool by_count = std::ranges::any_of(query_.sort, is_count);
  const auto sorted_by = [by_count](const Group& group) {
    return std::tuple<const std::string&, std::uint64_t, const std::string&>(group.before, by_count ? group.count : 0,
                                                                             group.after);
  };
  const auto before = [&](const Entry& a, const Entry& b) {
    const auto left = sorted_by(a.second), right = sorted_by(b.second);
    if (left != right) return query_.sort_down ? left > right : left < right;
    return std::tie(a.second.selected, a.first) < std::tie(b.second.selected, b.first);
  };
  std::ranges::sort(entries, before);
  if (query_.limit && entries.size() > *query_.limit) entries.resize(*query_.limit);
  std::vector<std::string> out;
  out.reserve(entries.size());
  for (auto& [json, group] : entries) {
    finish_group(json, group.count);
    out.push_back(std::move(json));
  }
  bytes_ = 0;
  return out;
}

}  // namespace varve::language::analytics
