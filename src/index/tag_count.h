// SPDX-License-Identifier: Apache-2.0
// TagCount: how many series have a tag.
#pragma once

#include <cstdint>
#include <string>

namespace varve::index {

struct TagCount {
  std::string key;
  std::string value;
  std::uint64_t series = 0;
  bool operator==(const TagCount&) const = default;
};

}  // namespace varve::index
