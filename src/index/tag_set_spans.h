// SPDX-License-Identifier: Apache-2.0
// TagSetSpans: between which tag sets those of series, or of groups, lie that follow one another. Tag sets have numbers
// in order of first sight, so what was defined at one time has near ones: whoever looks for the series with a tag
// passes over the pages that cannot have one. Eight bytes for each 1024.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "index/id_table.h"

namespace varve::index {

// Numbers of tag sets; those in between need not be there.
struct TagSetSpan {
  std::uint32_t first = kNone;  // of none: after the last one
  std::uint32_t last = 0;

  [[nodiscard]] bool overlaps(const TagSetSpan& other) const { return first <= other.last && other.first <= last; }
};

class TagSetSpans {
 public:
  static constexpr std::uint32_t kOfPage = 1024;

  // Makes room, so that add() of this id does not throw.
  void reserve(std::uint32_t id) {
    if (id / kOfPage >= pages_.size()) pages_.resize(id / kOfPage + 1);
  }
  void add(std::uint32_t id, std::uint32_t tag_set) {
    TagSetSpan& span = pages_[id / kOfPage];
    span.first = std::min(span.first, tag_set);
    span.last = std::max(span.last, tag_set);
  }
  // Of the ids from page · kOfPage on.
  [[nodiscard]] TagSetSpan of(std::uint32_t page) const { return page < pages_.size() ? pages_[page] : TagSetSpan(); }
  [[nodiscard]] std::size_t memory_bytes() const { return pages_.capacity() * sizeof(pages_[0]); }

 private:
  std::vector<TagSetSpan> pages_;
};

}  // namespace varve::index
