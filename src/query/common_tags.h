// SPDX-License-Identifier: Apache-2.0
// CommonTags: which tags all series of a group have, with one value or with several.
#pragma once

#include <cstdint>
#include <vector>

#include "query/answer.h"
#include "query/tag_table.h"

namespace varve::query {

class CommonTags {
 public:
  // The next series of the group, by its position in the table: always the same one, which must outlive this.
  void add(const TagTable& tags, std::uint32_t series);
  // Group::common and Group::mixed.
  void put(const TagTable& tags, Group& out) const;

 private:
  struct Key {
    const TagTable::Key* key;
    std::uint32_t tag;  // of the first series
    bool same = true;   // all have its value
  };
  std::vector<Key> keys_;  // that all have, sorted
  bool any_ = false;       // there is a series
};

}  // namespace varve::query
