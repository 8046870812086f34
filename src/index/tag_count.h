// SPDX-License-Identifier: Apache-2.0
// TagCount: how many series have a tag. TaggedSeries: which ones.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/ids.h"

namespace varve::index {

struct TagCount {
  std::string key;
  std::string value;
  std::uint64_t series = 0;
  bool operator==(const TagCount&) const = default;
};

struct TaggedSeries {
  std::string key;
  std::string value;
  std::vector<model::SeriesId> series = {};  // ascending
  bool operator==(const TaggedSeries&) const = default;
};

}  // namespace varve::index
