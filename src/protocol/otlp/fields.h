// SPDX-License-Identifier: Apache-2.0
// Fields: attributes as free fields of messages. Maps are flattened, {"a":{"b":1}} is the field a.b; lists are JSON.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "message/builder.h"
#include "protocol/otlp/attributes.h"

namespace varve::protocol::otlp {

class Fields {
 public:
  Fields() : reader_(made_) {}
  Fields(const Fields&) = delete;
  Fields& operator=(const Fields&) = delete;

  void clear();
  // Errors: invalid, limit, too_large.
  template <class Source>
  Status add(const Source& attribute) {
    VARVE_ASSIGN_OR_RETURN(const Attribute read, reader_.attribute(attribute));
    return add(read);
  }
  Status add(const Attribute& attribute);
  // As it is; both texts live as long as the fields.
  Status add(std::string_view name, message::FieldForm form, std::string_view text);

  Status put(message::Builder& to) const;
  // The text of the last field of that name; "": there is none.
  [[nodiscard]] std::string_view text_of(std::string_view name) const;
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

  AttributeReader& reader() { return reader_; }
  std::string_view keep(std::string text) { return made_.emplace_back(std::move(text)); }

 private:
  struct Field {
    std::string_view name;
    message::FieldForm form;
    std::string_view text;
  };
  Status add_value(std::string_view name, const Value& value);
  Status add_map(const Value& map);

  std::deque<std::string> made_;
  AttributeReader reader_;
  std::vector<Field> list_;
  std::string path_;  // of the map that is being added
  std::size_t bytes_ = 0;
};

}  // namespace varve::protocol::otlp
