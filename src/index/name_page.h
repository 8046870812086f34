// SPDX-License-Identifier: Apache-2.0
// NamePage, TagPage: which part of a sorted list is wanted. The order is that of bytes.
#pragma once

#include <cstddef>
#include <string_view>

namespace varve::index {

struct NamePage {
  std::string_view prefix = {};  // only names that begin so
  std::string_view after = {};   // only names behind this one, which need not exist; empty: from the first on
  std::size_t limit = 0;         // so many at most; 0: all

  // Does the name lie in front of the page? What follows the page does not begin with `prefix`.
  [[nodiscard]] bool starts_behind(std::string_view name) const {
    return name < prefix || (!after.empty() && name <= after);
  }
};

// Of tags, by key and value.
struct TagPage {
  std::string_view after_key = {};  // only tags behind this one; both empty: from the first on
  std::string_view after_value = {};
  std::size_t limit = 0;
};

}  // namespace varve::index
