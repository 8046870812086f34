// SPDX-License-Identifier: Apache-2.0
#include "protocol/otlp/value.h"

#include "protocol/json/text.h"

namespace varve::protocol::otlp {

void append_json(std::string& out, const Value& value) {
  switch (value.kind) {
    case Value::Kind::none: out += "null"; return;
    case Value::Kind::text: json::append_string(out, value.text); return;
    case Value::Kind::boolean:
    case Value::Kind::number: out += value.text; return;
    case Value::Kind::list:
    case Value::Kind::map: break;
  }
  const bool is_map = value.kind == Value::Kind::map;
  out += is_map ? '{' : '[';
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    if (i != 0) out += ',';
    if (is_map) {
      json::append_string(out, value.names[i]);
      out += ':';
    }
    append_json(out, value.items[i]);
  }
  out += is_map ? '}' : ']';
}

}  // namespace varve::protocol::otlp
