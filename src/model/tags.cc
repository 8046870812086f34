// SPDX-License-Identifier: Apache-2.0
#include "model/tags.h"

#include <algorithm>

namespace varve::model {

Status normalize(TagViews& tags) {
  const auto by_key = [](const TagView& a, const TagView& b) { return a.key < b.key; };
  if (!std::is_sorted(tags.begin(), tags.end(), by_key)) std::sort(tags.begin(), tags.end(), by_key);
  for (std::size_t i = 0; i < tags.size(); ++i) {
    if (tags[i].key.empty()) return fail(Code::invalid, "a tag has an empty name");
    if (tags[i].value.empty()) {
      return fail(Code::invalid, "tag '" + std::string(tags[i].key) + "' has an empty value");
    }
    if (i > 0 && tags[i].key == tags[i - 1].key) {
      return fail(Code::invalid, "tag '" + std::string(tags[i].key) + "' stands twice");
    }
  }
  return {};
}

void clean(TagViews& tags, const TagLimits& limits) {
  std::erase_if(tags, [&](const TagView& tag) {
    return std::find(limits.excluded_keys.begin(), limits.excluded_keys.end(), tag.key) != limits.excluded_keys.end();
  });
  if (limits.long_value == LongValue::reject) return;
  for (TagView& tag : tags) {
    if (tag.value.size() <= limits.value_bytes_max) continue;
    std::size_t size = limits.long_value == LongValue::exclude ? 0 : limits.value_bytes_max;
    const auto continues = [&](std::size_t at) { return (static_cast<unsigned char>(tag.value[at]) & 0xc0) == 0x80; };
    while (size > 0 && continues(size)) --size;
    tag.value = tag.value.substr(0, size);
  }
  // Excluded, or not even one character fits.
  std::erase_if(tags, [](const TagView& tag) { return tag.value.empty(); });
}

Status check_limits(std::string_view metric, const TagViews& tags, const TagLimits& limits) {
  const auto over = [](std::string_view what, std::size_t got, std::size_t max) {
    return fail(Code::invalid,
                std::string(what) + " has " + std::to_string(got) + " bytes; at most " + std::to_string(max));
  };
  if (metric.empty()) return fail(Code::invalid, "the metric name is empty");
  if (metric.size() > limits.metric_bytes_max) return over("the metric name", metric.size(), limits.metric_bytes_max);
  if (tags.size() > limits.tags_max) {
    return fail(Code::invalid, std::to_string(tags.size()) + " tags; at most " + std::to_string(limits.tags_max));
  }
  for (const auto& tag : tags) {
    if (tag.key.size() > limits.key_bytes_max) return over("a tag name", tag.key.size(), limits.key_bytes_max);
    if (tag.value.size() > limits.value_bytes_max) {
      return over("the value of tag '" + std::string(tag.key) + "'", tag.value.size(), limits.value_bytes_max);
    }
  }
  return {};
}

Tags to_tags(const TagViews& views) {
  Tags tags;
  tags.reserve(views.size());
  for (const auto& view : views) tags.emplace_back(view.key, view.value);
  return tags;
}

TagViews to_views(const Tags& tags) {
  TagViews views;
  views.reserve(tags.size());
  for (const auto& [key, value] : tags) views.push_back({key, value});
  return views;
}

}  // namespace varve::model
