// SPDX-License-Identifier: Apache-2.0
// Any body gives a search or an error with a message; and a pattern without wildcards matches just its literal.
#include <string>

#include "base/check.h"
#include "protocol/ceres/search.h"

namespace ceres = varve::protocol::ceres;
using varve::check;

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto one = [](const std::string& pattern) {
    if (ceres::has_wildcard(pattern)) return;
    check(ceres::matches_wildcard(pattern, ceres::wildcard_literal(pattern)), "a literal is itself");
  };
  one(text);
  const auto search = ceres::parse_search(text);
  if (!search) {
    check(!search.error().message.empty(), "an error says something");
    return 0;
  }
  for (const auto& pattern : search->metric_patterns) one(pattern);
  for (const auto& tag : search->tag_patterns) {
    check(!tag.key.empty() && !tag.pattern.empty(), "a condition has both");
    one(tag.pattern);
  }
  return 0;
}
