// SPDX-License-Identifier: Apache-2.0
// JsonWalk: walks a request of OTLP in JSON down to its records or points, each of which is a tree for itself: a tree
// of all would not fit into a cache. And what both signals read of such trees.
#pragma once

#include <charconv>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "protocol/json/reader.h"
#include "protocol/json/tree.h"

namespace varve::protocol::otlp {

// "NAME is not WHAT"
std::unexpected<Error> wrong_member(std::string_view name, std::string_view what);

// Empty where there is none.
Result<std::string_view> text_in(const json::Node& object, std::string_view name);

// A whole number, also as a text, as protobuf's JSON has numbers of 64 bits. `name`: for the error.
template <class Number>
Result<Number> whole_number(const json::Node& node, std::string_view name) {
  Number number{0};
  const char* const end = node.text.data() + node.text.size();
  const bool is_text = node.kind == json::Kind::string || node.kind == json::Kind::number;
  if (is_text && node.text.empty()) return wrong_member(name, "a whole number");
  if (!is_text || std::from_chars(node.text.data(), end, number) != std::from_chars_result{end, std::errc{}}) {
    return wrong_member(name, "a whole number of " + std::to_string(8 * sizeof number) + " bits");
  }
  return number;
}

// 0 where there is none.
template <class Number>
Result<Number> number_in(const json::Node& object, std::string_view name) {
  const json::Node* node = object.find(name);
  return node == nullptr ? Number{0} : whole_number<Number>(*node, name);
}

class JsonWalk {
 public:
  explicit JsonWalk(std::string_view body);

  // The whole body: an object with a list.
  Status read_body(std::string_view list, const std::function<Status()>& read_item);

  // The rest of an object: the member `head`, wherever it stands, and then each object of the list. `head` may be
  // empty: there is none.
  Status read_object(std::string_view head, const std::function<void(const json::Node&)>& take_head,
                     std::string_view list, const std::function<Status()>& read_item);
  // The rest of an object, member by member; `take` reads the value, or skips it.
  Status read_members(const std::function<Status(std::string_view name, const json::Element& value)>& take);
  // The rest of a list of objects, which `read_item` reads.
  Status read_list(std::string_view list, const std::function<Status()>& read_item);
  // The object behind whose opening brace it stands, as a tree, which lives until the next one.
  Result<json::Node> read_whole();
  // The same of a value at which it does not stand; it stays where it is.
  Result<json::Node> read_at(const char* begin);

  json::Reader& reader() { return outer_; }
  // For where the reader says that there is no more.
  [[nodiscard]] Status ended() const;

 private:
  std::string_view body_;
  json::Reader outer_;  // down to the records
  json::Reader inner_;  // of a record
};

}  // namespace varve::protocol::otlp
