// SPDX-License-Identifier: Apache-2.0
#include "language/analytics/members.h"

#include <algorithm>
#include <charconv>

#include "language/analytics/subject.h"

namespace varve::language::analytics {

using protocol::json::Kind;

Status check_members(const Node& object, std::span<const std::string_view> names,
                     std::span<const std::string_view> unused, std::string_view where) {
  for (std::size_t i = 0; i < object.names.size(); ++i) {
    const std::string_view name = object.names[i];
    const bool is_unused = std::ranges::find(unused, name) != unused.end();
    const bool is_null = object.children[i].kind == Kind::null;
    if (std::ranges::find(names, name) == names.end() && !(is_unused && is_null)) {
      return fail(Code::invalid,
                  std::string(where) + "member " + quoted(name) + (is_unused ? " is not supported" : " is not known"));
    }
    if (std::ranges::count(object.names, name) > 1) {
      return fail(Code::invalid, std::string(where) + "member " + quoted(name) + " is there twice");
    }
  }
  return {};
}

Result<const Node*> required(const Node& object, std::string_view name, std::string_view where) {
  if (const Node* const found = object.find(name)) return found;
  return fail(Code::invalid, std::string(where) + "member " + quoted(name) + " is missing");
}

Result<std::string_view> text_of(const Node& node, std::string_view name) {
  if (node.kind == Kind::string) return node.text;
  return fail(Code::invalid, std::string(name) + " is not a text");
}

Result<std::int64_t> whole_number_of(const Node& node, std::string_view name) {
  std::int64_t number = 0;
  const char* const end = node.text.data() + node.text.size();
  if (node.kind == Kind::number) {
    const auto read = std::from_chars(node.text.data(), end, number);
    if (read.ec == std::errc() && read.ptr == end) return number;
  }
  return fail(Code::invalid, std::string(name) + " is not a whole number");
}

}  // namespace varve::language::analytics
