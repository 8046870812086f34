// SPDX-License-Identifier: Apache-2.0
// Regex: an RE2 expression that must match the whole value; a dot matches any character. RE2 is named in regex.cc only.
#pragma once

#include <memory>
#include <string_view>

#include "base/result.h"

namespace re2 {
class RE2;
}

namespace varve {

class Regex {
 public:
  // Error: invalid, with what is wrong in the expression.
  static Result<Regex> compile(std::string_view expression);

  [[nodiscard]] bool matches(std::string_view value) const;

 private:
  std::shared_ptr<const re2::RE2> re2_;
};

}  // namespace varve
