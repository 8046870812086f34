// SPDX-License-Identifier: Apache-2.0
// JSON text: keys, values, arrays and objects, with the commas and the escaping that they need. It appends to a string
// of the caller and keeps nothing on the heap of its own. Loops over millions of points write into memory themselves
// (number_text.h).
//
//   Writer json(out);
//   json.begin_object().member("name", name).key("tags").object(tags).end_object();  // {"name":"m","tags":{"a":"b"}}
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

#include "protocol/json/number_text.h"
#include "protocol/json/text.h"

namespace varve::protocol::json {

// Whether arrays and objects are closed, and keys stand in objects only, is the caller's business.
class Writer {
 public:
  explicit Writer(std::string& out) : out_(out) {}
  // For what goes on in the middle of an array or object, as a streamed answer does: a value stands in front of it.
  static Writer behind_value(std::string& out, bool is_behind = true) {
    Writer writer(out);
    writer.comma_ = is_behind;
    return writer;
  }

  Writer& begin_object() { return open('{'); }
  Writer& end_object() { return close('}'); }
  Writer& begin_array() { return open('['); }
  Writer& end_array() { return close(']'); }

  Writer& key(std::string_view name) {
    separate();
    append_string(out_, name);
    out_ += ':';
    comma_ = false;
    return *this;
  }

  Writer& value(std::string_view text) {
    separate();
    append_string(out_, text);
    return *this;
  }
  Writer& value(const char* text) { return value(std::string_view(text)); }
  Writer& value(const std::string& text) { return value(std::string_view(text)); }
  Writer& value(bool truth) { return raw(truth ? "true" : "false"); }
  template <std::integral Number>
  Writer& value(Number number) {
    separate();
    append_whole(number);
    return *this;
  }
  // As append_double() has it: NaN and infinities are null.
  Writer& value(double number) {
    separate();
    append_double(out_, number);
    return *this;
  }
  Writer& null() { return raw("null"); }
  // A value that is JSON text already.
  Writer& raw(std::string_view json) {
    separate();
    out_ += json;
    return *this;
  }

  template <class Value>
  Writer& member(std::string_view name, const Value& of) {
    return key(name).value(of);
  }
  // A whole array of a range's values, a whole object of a range's pairs.
  template <class Values>
  Writer& array(const Values& values) {
    begin_array();
    for (const auto& one : values) value(one);
    return end_array();
  }
  template <class Pairs>
  Writer& object(const Pairs& pairs) {
    begin_object();
    for (const auto& [name, of] : pairs) member(name, of);
    return end_object();
  }

 private:
  void separate() {
    if (comma_) out_ += ',';
    comma_ = true;
  }
  Writer& open(char bracket) {
    separate();
    out_ += bracket;
    comma_ = false;
    return *this;
  }
  Writer& close(char bracket) {
    out_ += bracket;
    comma_ = true;
    return *this;
  }
  void append_whole(std::signed_integral auto number) { append_long(out_, number); }
  void append_whole(std::unsigned_integral auto number) { append_unsigned(out_, number); }

  std::string& out_;
  bool comma_ = false;  // in front of what comes next
};

}  // namespace varve::protocol::json
