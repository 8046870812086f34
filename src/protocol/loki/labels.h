// SPDX-License-Identifier: Apache-2.0
// Labels of a stream, and their text: {job="api", host="web01"}.
#pragma once

#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace varve::protocol::loki {

struct Label {
  std::string_view name;
  std::string_view value;
};
using Labels = std::vector<Label>;

// Appends to `labels`. Values are views into `text`, or into `undone` where they had escapes. Error: invalid.
Status read_labels(std::string_view text, Labels& labels, std::deque<std::string>& undone);

// For errors: values quoted, all of it at most about 200 bytes.
std::string text_of(std::span<const Label> labels);

}  // namespace varve::protocol::loki
