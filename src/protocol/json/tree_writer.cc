// SPDX-License-Identifier: Apache-2.0
#include "protocol/json/tree_writer.h"

namespace varve::protocol::json {

void append_node(Writer& json, const Node& node) {
  switch (node.kind) {
    case Kind::string: json.value(node.text); return;
    case Kind::null: json.null(); return;
    case Kind::array:
      json.begin_array();
      for (const Node& item : node.children) append_node(json, item);
      json.end_array();
      return;
    case Kind::object:
      json.begin_object();
      for (std::size_t i = 0; i < node.children.size(); ++i) append_node(json.key(node.names[i]), node.children[i]);
      json.end_object();
      return;
    case Kind::none:
    case Kind::boolean:
    case Kind::number: json.raw(node.text);
  }
}

}  // namespace varve::protocol::json
