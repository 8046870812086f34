// SPDX-License-Identifier: Apache-2.0
// Attributes out of OTLP's protobuf and JSON: of resources, scopes, log records and points alike.
#pragma once

#include <deque>
#include <string>
#include <string_view>

#include "base/result.h"
#include "protocol/json/tree.h"
#include "protocol/otlp/value.h"

namespace varve::protocol::otlp {

// Reads values one after the other. Texts are views into the body or into `made`, which the caller keeps as long.
class AttributeReader {
 public:
  explicit AttributeReader(std::deque<std::string>& made) : made_(made) {}

  // What is read next is said of another thing: kValuesMax begins anew.
  void start() { left_ = kValuesMax; }

  // KeyValue { string key = 1; AnyValue value = 2; } and AnyValue. Errors: invalid (not protobuf), limit.
  Result<Attribute> attribute(std::string_view protobuf);
  Result<Value> value(std::string_view protobuf);

  // {"key":"k","value":{"stringValue":"v"}} and its value. Errors: invalid, limit.
  Result<Attribute> attribute(const json::Node& node);
  Result<Value> value(const json::Node& node);

 private:
  Status read_attribute(std::string_view bytes, Attribute& to, std::size_t depth);
  Status read_value(std::string_view bytes, Value& to, std::size_t depth);
  Status read_items(std::string_view bytes, Value& to, std::size_t depth);
  Status read_attribute(const json::Node& node, Attribute& to, std::size_t depth);
  Status read_value(const json::Node& node, Value& to, std::size_t depth);
  Status read_items(const json::Node& node, Value& to, std::size_t depth);
  Status read_number(const json::Node& node, bool whole, Value& to);
  Status take_one(std::size_t depth);
  void set_double(double number, Value& to);
  std::string_view keep(std::string text) { return made_.emplace_back(std::move(text)); }

  std::deque<std::string>& made_;
  std::size_t left_ = kValuesMax;
};

}  // namespace varve::protocol::otlp
