// SPDX-License-Identifier: Apache-2.0
// Walks over lists of names in their order, from where a page begins.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "index/catalog.h"
#include "index/name_page.h"

namespace varve::index {

// Calls f(id) for each of the list, in order of names, from the first of the page on until it says false or the names
// of the page are over. Its limit is up to f. Names in front of `from` are left out.
template <class T, class F>
void walk_names(const Catalog& catalog, const Catalog::NameList& list, const Column<T>& of, const NamePage& page, F&& f,
                std::string_view from = {}) {
  const auto name_of = [&](std::uint32_t id) { return catalog.name_of(of[id]); };
  const auto in_front = [&](std::uint32_t id) { return name_of(id) < from || page.starts_behind(name_of(id)); };
  const auto visit = [&](std::uint32_t id) { return name_of(id).starts_with(page.prefix) && f(id); };
  if (list.order != kNone) {
    const SortedIds& order = catalog.order(list.order);
    return order.walk(order.find(in_front), visit);
  }
  auto ids = catalog.postings.ids(list.ids);  // few
  std::erase_if(ids, in_front);
  std::ranges::sort(ids, {}, name_of);
  for (const std::uint32_t id : ids) {
    if (!visit(id)) return;
  }
}

}  // namespace varve::index
