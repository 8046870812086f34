// SPDX-License-Identifier: Apache-2.0
#include "query/common_tags.h"

#include <algorithm>
#include <utility>

namespace varve::query {

void CommonTags::add(const TagTable& tags, std::uint32_t series) {
  const auto others = tags.tags_of(series);
  if (!std::exchange(any_, true)) {
    for (const std::uint32_t tag : others) keys_.push_back({&tags.key_of(tag), tag});
    return;
  }
  auto other = others.begin();
  const auto is_missing = [&](Key& key) {
    const auto found = std::find_if(other, others.end(), [&](std::uint32_t tag) { return key.key->has(tag); });
    if (found == others.end()) return true;
    key.same = key.same && *found == key.tag;
    other = found + 1;  // both are sorted
    return false;
  };
  std::erase_if(keys_, is_missing);
}

void CommonTags::put(const TagTable& tags, Group& out) const {
  for (const Key& key : keys_) {
    if (key.same) {
      out.common.emplace_back(key.key->name, tags.value_of(key.tag));
    } else {
      out.mixed.emplace_back(key.key->name);
    }
  }
}

}  // namespace varve::query
