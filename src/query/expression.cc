// SPDX-License-Identifier: Apache-2.0
#include "query/expression.h"

#include <utility>

namespace varve::query {
namespace {

std::unexpected<Error> too_many(std::size_t most, std::string_view what) {
  return fail(Code::invalid, "the regular expressions of a question may have " + std::to_string(most) + " " +
                                 std::string(what) + " together");
}

}  // namespace

Status Expressions::count(std::string_view own) {
  if (++count_ > kCountMax) {
    return fail(Code::invalid, "a question may have " + std::to_string(kCountMax) + " regular expressions");
  }
  bytes_ += own.size();
  return bytes_ > kBytesMax ? too_many(kBytesMax, "bytes") : Status{};
}

Status Expressions::check(std::string_view own) {
  VARVE_RETURN_IF_ERROR(count(own));
  VARVE_RETURN_IF_ERROR(Regex::check(own));
  // "\Qa" is one, but its quoting goes on behind the part that it is.
  if (!Regex::check("(?:" + std::string(own) + ")")) {
    return fail(Code::invalid, "regular expression '" + std::string(own.substr(0, 200)) + "': missing \\E");
  }
  return {};
}

Result<Regex> Expressions::compile(std::string_view expression) {
  if (expression.size() > kCompiledBytesMax) {
    return fail(Code::invalid, "regular expression '" + std::string(expression.substr(0, 200)) + "': with the values " +
                                   "beside it it may have " + std::to_string(kCompiledBytesMax) + " bytes");
  }
  VARVE_ASSIGN_OR_RETURN(Regex regex, Regex::compile(expression));
  instructions_ += regex.instructions();
  if (instructions_ > kInstructionsMax) return too_many(kInstructionsMax, "instructions when they are compiled");
  return regex;
}

Result<index::Matcher> Expressions::matcher(std::string key, index::Matcher::Kind kind, std::string expression) {
  VARVE_ASSIGN_OR_RETURN(Regex regex, compile(expression));
  return index::Matcher{std::move(key), kind, {std::move(expression)}, std::move(regex)};
}

}  // namespace varve::query
