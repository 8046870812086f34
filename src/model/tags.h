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

// Views into somebody else's bytes. Sorted and unique once `normalize` said so.
using TagViews = std::vector<TagView>;

// Sorts by key. Fails (invalid) on an empty key, an empty value or a key that stands twice.
Status normalize(TagViews& tags);

// What happens to a tag whose value is too long.
enum class LongValue : std::uint8_t { reject, exclude, truncate };

// Limits of a sample's tags; beyond them the sample is refused by name, unless `long_value` says otherwise.
struct TagLimits {
  std::size_t tags_max = 64;
  std::size_t metric_bytes_max = 1024;
  std::size_t key_bytes_max = 512;
  std::size_t value_bytes_max = 4096;
  LongValue long_value = LongValue::reject;
  std::vector<std::string> excluded_keys{};  // tags that are taken off, whatever their value

  // May clean() change anything?
  [[nodiscard]] bool cleans() const { return long_value != LongValue::reject || !excluded_keys.empty(); }
};

// Removes excluded keys, then excludes or truncates values that are too long (at a UTF-8 character boundary). Keeps the
// order.
void clean(TagViews& tags, const TagLimits& limits);

// Fails (invalid, naming the tag or metric) if a limit is exceeded.
Status check_limits(std::string_view metric, const TagViews& tags, const TagLimits& limits);

// An owning copy.
using Tags = std::vector<std::pair<std::string, std::string>>;
Tags to_tags(const TagViews& views);
TagViews to_views(const Tags& tags);

}  // namespace varve::model
