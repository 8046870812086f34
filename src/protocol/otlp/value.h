// SPDX-License-Identifier: Apache-2.0
// Value: OTLP's AnyValue, as protobuf and JSON give it alike. Attributes of every signal are pairs of a key and one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace varve::protocol::otlp {

inline constexpr std::size_t kValueDepthMax = 32;
inline constexpr std::size_t kValuesMax = 100'000;  // of what is said of one thing: a record, a resource

struct Value {
  enum class Kind : std::uint8_t { none, text, boolean, number, list, map };
  Kind kind = Kind::none;
  std::string_view text;                // text (bytes: in base64); "true"; a number as JSON has it
  std::vector<std::string_view> names;  // of a map's items
  std::vector<Value> items;
};

struct Attribute {
  std::string_view key;
  Value value;
};

void append_json(std::string& out, const Value& value);

}  // namespace varve::protocol::otlp
