// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>
#include <utility>

#include "protocol/json/number.h"
#include "protocol/messages/words.h"
#include "protocol/otlp/attributes.h"

namespace varve::protocol::otlp {
namespace {

using json::Kind;

std::unexpected<Error> not_a(std::string_view name, std::string_view what) {
  return fail(Code::invalid, std::string(name).append(" is not ").append(what));
}

// Of a text that is a whole number: 007 is none of JSON's.
bool has_zeros_in_front(std::string_view whole) {
  if (whole.starts_with('-')) whole.remove_prefix(1);
  return whole.size() > 1 && whole[0] == '0';
}

bool is_json_number(const json::Node& node) {
  if (node.kind == Kind::number) return true;
  return node.text.find_first_not_of("0123456789+-.eE") == std::string_view::npos && json::check_strict(node.text);
}

}  // namespace

Result<Attribute> AttributeReader::attribute(const json::Node& node) {
  Attribute attribute;
  VARVE_RETURN_IF_ERROR(read_attribute(node, attribute, 1));
  return attribute;
}

Result<Value> AttributeReader::value(const json::Node& node) {
  Value value;
  VARVE_RETURN_IF_ERROR(read_value(node, value, 1));
  return value;
}

Status AttributeReader::read_attribute(const json::Node& node, Attribute& to, std::size_t depth) {
  if (node.kind != Kind::object) return not_a("an attribute", "an object");
  if (const json::Node* key = node.find("key")) {
    if (key->kind != Kind::string) return not_a("an attribute's key", "a text");
    to.key = key->text;
  }
  const json::Node* value = node.find("value");
  return value != nullptr ? read_value(*value, to.value, depth) : Status{};
}

// Numbers of 64 bits are texts in protobuf's JSON; numbers are taken, too.
Status AttributeReader::read_number(const json::Node& node, bool whole, Value& to) {
  if (node.kind == Kind::string || node.kind == Kind::number) {
    if (const auto number = json::to_long(node.text); number && !node.text.starts_with('+')) {
      const std::string_view text = has_zeros_in_front(node.text) ? keep(std::to_string(*number)) : node.text;
      to = {Value::Kind::number, text, {}, {}};
      return {};
    }
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    if (!whole && node.text == "NaN") return set_double(std::nan(""), to), Status{};
    if (!whole && node.text == "Infinity") return set_double(kInfinity, to), Status{};
    if (!whole && node.text == "-Infinity") return set_double(-kInfinity, to), Status{};
    if (!whole && is_json_number(node)) {
      to = {Value::Kind::number, node.text, {}, {}};
      return {};
    }
  }
  return fail(Code::invalid, "'" + messages::shorten(node.text) + "' is not " +
                                 (whole ? "an intValue, a whole number of 64 bits" : "a doubleValue"));
}

Status AttributeReader::read_value(const json::Node& node, Value& to, std::size_t depth) {
  VARVE_RETURN_IF_ERROR(take_one(depth));
  if (node.kind == Kind::null) return {};
  if (node.kind != Kind::object) return not_a("a value", "an object such as {\"stringValue\":\"x\"}");
  for (std::size_t i = 0; i < node.names.size(); ++i) {
    const std::string_view name = node.names[i];
    const json::Node& of = node.children[i];
    if (of.kind == Kind::null) continue;
    if (name == "stringValue" || name == "bytesValue") {
      if (of.kind != Kind::string) return not_a(name, "a text");
      to = {Value::Kind::text, of.text, {}, {}};
    } else if (name == "boolValue") {
      if (of.kind != Kind::boolean) return not_a(name, "true or false");
      to = {Value::Kind::boolean, of.text, {}, {}};
    } else if (name == "intValue" || name == "doubleValue") {
      VARVE_RETURN_IF_ERROR(read_number(of, name == "intValue", to));
    } else if (name == "arrayValue" || name == "kvlistValue") {
      to = {name == "arrayValue" ? Value::Kind::list : Value::Kind::map, {}, {}, {}};
      VARVE_RETURN_IF_ERROR(read_items(of, to, depth));
    }
  }
  return {};
}

// {"values":[…]}
Status AttributeReader::read_items(const json::Node& node, Value& to, std::size_t depth) {
  const bool is_list = to.kind == Value::Kind::list;
  if (node.kind != Kind::object) return not_a(is_list ? "arrayValue" : "kvlistValue", "an object");
  const json::Node* values = node.find("values");
  if (values == nullptr) return {};
  if (values->kind != Kind::array) return not_a("values", "a list");
  for (const json::Node& item : values->children) {
    if (is_list) {
      VARVE_RETURN_IF_ERROR(read_value(item, to.items.emplace_back(), depth + 1));
      continue;
    }
    VARVE_RETURN_IF_ERROR(take_one(depth));
    Attribute pair;
    VARVE_RETURN_IF_ERROR(read_attribute(item, pair, depth + 1));
    to.names.push_back(pair.key);
    to.items.push_back(std::move(pair.value));
  }
  return {};
}

}  // namespace varve::protocol::otlp
