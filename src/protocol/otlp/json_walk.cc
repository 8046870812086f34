// SPDX-License-Identifier: Apache-2.0
#include "protocol/otlp/json_walk.h"

#include "protocol/json/text.h"
#include "protocol/messages/general_message.h"

namespace varve::protocol::otlp {

using json::Kind;
using json::Node;

std::unexpected<Error> wrong_member(std::string_view name, std::string_view what) {
  return fail(Code::invalid, std::string(name).append(" is not ").append(what));
}

Result<std::string_view> text_in(const Node& object, std::string_view name) {
  const Node* node = object.find(name);
  if (node == nullptr) return std::string_view();
  if (node->kind != Kind::string) return wrong_member(name, "a text");
  return node->text;
}

JsonWalk::JsonWalk(std::string_view body) : body_(body), outer_(body), inner_(body) {
  for (json::Reader* reader : {&outer_, &inner_}) {
    reader->set_strict();
    reader->keep_cut_texts();
  }
}

Status JsonWalk::ended() const { return outer_.failed() ? fail(messages::not_json(outer_, false)) : Status{}; }

Status JsonWalk::read_body(std::string_view list, const std::function<Status()>& read_item) {
  if (!json::is_utf8(body_)) return fail(Code::invalid, "not JSON: the JSON is not valid UTF-8");
  const json::Element root = outer_.value();
  if (!outer_.failed() && root.kind != Kind::object) return wrong_member("the body", "an object");
  VARVE_RETURN_IF_ERROR(read_object({}, {}, list, read_item));
  if (!outer_.failed() && !outer_.at_end())
    return fail(Code::invalid, "not JSON: there is something behind the object");
  return ended();
}

Status JsonWalk::read_object(std::string_view head, const std::function<void(const Node&)>& take_head,
                             std::string_view list, const std::function<Status()>& read_item) {
  bool has_head = head.empty();
  bool is_read = false;
  const char* items = nullptr;
  bool first = true;
  for (std::string_view name; outer_.next_name(first, name);) {
    const bool is_head = !head.empty() && name == head;
    const bool is_list = name == list;
    const json::Element value = outer_.value();
    if (outer_.failed()) break;
    if (is_head) {
      const auto node = json::read_node(outer_, value);
      if (!node) break;
      take_head(*node);
      has_head = true;
    } else if (is_list && value.kind != Kind::null) {
      if (value.kind != Kind::array) return wrong_member(list, "a list");
      if (items != nullptr) return fail(Code::invalid, std::string(list) + " stands twice");
      items = value.begin + 1;
      is_read = has_head;
      if (is_read) {
        VARVE_RETURN_IF_ERROR(read_list(list, read_item));
      } else {
        outer_.skip(value);
      }
    } else {
      outer_.skip(value);
    }
  }
  VARVE_RETURN_IF_ERROR(ended());
  if (items == nullptr || is_read) return {};
  const char* const behind = outer_.at();
  outer_.seek(items);
  VARVE_RETURN_IF_ERROR(read_list(list, read_item));
  outer_.seek(behind);
  return {};
}

Status JsonWalk::read_members(const std::function<Status(std::string_view, const json::Element&)>& take) {
  bool first = true;
  for (std::string_view name; outer_.next_name(first, name);) {
    const json::Element value = outer_.value();
    if (outer_.failed()) break;
    VARVE_RETURN_IF_ERROR(take(name, value));
  }
  return ended();
}

Status JsonWalk::read_list(std::string_view list, const std::function<Status()>& read_item) {
  json::Element item;
  for (bool first = true; outer_.next_item(first, item);) {
    if (item.kind != Kind::object) return wrong_member("an item of " + std::string(list), "an object");
    VARVE_RETURN_IF_ERROR(read_item());
  }
  return ended();
}

Result<Node> JsonWalk::read_whole() {
  auto node = read_at(outer_.at() - 1);
  if (node) outer_.seek(inner_.at());
  return node;
}

Result<Node> JsonWalk::read_at(const char* begin) {
  inner_.clear_texts();
  inner_.seek(begin);
  auto node = json::read_node(inner_, inner_.value());
  if (!node && node.error().code != Code::unavailable) return fail(messages::not_json(inner_, false));
  return node;
}

}  // namespace varve::protocol::otlp
