// SPDX-License-Identifier: Apache-2.0
// What the raw bytes of a line mean as series: metric `measurement_field` (the bare measurement for a field called
// `value`) and the line's tags. Only for lines that are new: a known line is never taken apart.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/line_group.h"
#include "model/tags.h"

namespace varve::protocol::influx {

class Naming {
 public:
  // Reads the line `name` (raw measurement and tags) with these raw field names, which are unique. Error: invalid (a
  // tag is malformed or stands twice).
  Status read(std::string_view name, std::span<const std::string_view> fields);
  // Until the next read().
  [[nodiscard]] const model::TagViews& tags() const { return tags_; }
  [[nodiscard]] std::span<const std::string_view> metrics() const { return metrics_; }

 private:
  Status read_name(std::string_view name);
  std::string_view keep(std::size_t from) const { return std::string_view(bytes_).substr(from); }

  std::string bytes_;  // unescaped; reserved beforehand, so that views into it stay
  std::string_view measurement_;
  model::TagViews tags_;
  std::vector<std::string_view> metrics_;
};

}  // namespace varve::protocol::influx
