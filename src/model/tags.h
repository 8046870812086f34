// SPDX-License-Identifier: Apache-2.0
// Tags of a series: key=value pairs, sorted by the bytes of the key, each key once.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace varve::model {

struct TagView {
  std::string_view key;
  std::string_view value;
  bool operator==(const TagView&) const = default;
};

// Views of bytes owned elsewhere. Sorted and unique after normalize().
using TagViews = std::vector<TagView>;

// Sorts by key. Error: invalid (an empty key or value, or a duplicate key).
Status normalize(TagViews& tags);

// How to treat a tag whose value is too long.
enum class LongValue : std::uint8_t { reject, exclude, truncate };

// Limits for a sample's tags. A sample that exceeds them is refused by name, unless `long_value` says otherwise.
struct TagLimits {
  std::size_t tags_max = 64;
  std::size_t metric_bytes_max = 1024;
  std::size_t key_bytes_max = 512;
  std::size_t value_bytes_max = 4096;
  LongValue long_value = LongValue::reject;
  std::vector<std::string> excluded_keys{};  // tags that are always removed

  // May clean() change anything?
  [[nodiscard]] bool cleans() const { return long_value != LongValue::reject || !excluded_keys.empty(); }
};

// Removes excluded keys, then excludes or truncates values that are too long (at a UTF-8 character boundary). Keeps the
// order.
void clean(TagViews& tags, const TagLimits& limits);

// Error: invalid, naming the tag or metric, if a limit is exceeded.
Status check_limits(std::string_view metric, const TagViews& tags, const TagLimits& limits);

// Tags that own their bytes.
using Tags = std::vector<std::pair<std::string, std::string>>;
Tags to_tags(const TagViews& views);
TagViews to_views(const Tags& tags);

}  // namespace varve::model
