// SPDX-License-Identifier: Apache-2.0
#include "base/regex.h"

#include <re2/re2.h>

namespace varve {

Result<Regex> Regex::compile(std::string_view expression) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_dot_nl(true);
  options.set_never_capture(true);
  Regex regex;
  regex.re2_ = std::make_shared<const re2::RE2>(re2::StringPiece(expression.data(), expression.size()), options);
  if (!regex.re2_->ok()) {
    return fail(Code::invalid, "regular expression '" + std::string(expression) + "': " + regex.re2_->error());
  }
  return regex;
}

bool Regex::matches(std::string_view value) const {
  return re2::RE2::FullMatch(re2::StringPiece(value.data(), value.size()), *re2_);
}

}  // namespace varve
