// SPDX-License-Identifier: Apache-2.0
// Value: a cell of an answer, as JSON and as a key to sort by.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace varve::language::analytics {

struct Value {
  enum class Form : std::uint8_t { absent, number, text, address, names, digits, json };
  Form form = Form::absent;
  std::int64_t number = 0;
  std::string_view text;  // an address: v4 or v6; digits: a number as it is written; json: any other value
  const std::vector<std::string_view>* names = nullptr;  // of objects

  static Value of(std::int64_t number) { return {Form::number, number, {}, nullptr}; }
  static Value of(std::string_view text, Form form = Form::text) { return {form, 0, text, nullptr}; }
};

// Texts in quotes, with U+FFFD for what is not UTF-8; digits and json as they are; null for what is absent.
void append_value(std::string& out, const Value& value);

// Keys compare bytewise as the values do: what is absent comes first, then numbers and v4 addresses as numbers, then
// texts bytewise; lists name by name. No key begins another one, so keys of several values may follow one another.
void append_sort_key(std::string& out, const Value& value);

}  // namespace varve::language::analytics
