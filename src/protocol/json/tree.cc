// SPDX-License-Identifier: Apache-2.0
#include "protocol/json/tree.h"

#include <utility>

#include "protocol/json/text.h"

namespace varve::protocol::json {

namespace {

class Builder {
 public:
  explicit Builder(Reader& reader) : reader_(reader) {}

  Node node(const Element& element, std::size_t depth) {
    Node out;
    out.kind = element.kind;
    out.text = element.text;
    out.begin = element.begin;
    if (element.kind != Kind::array && element.kind != Kind::object) return out;
    if (depth == kTreeDepthMax) {
      reader_.fail("JSON nested more than 64 deep");
      return out;
    }
    bool first = true;
    Element child;
    std::string_view name;
    while (element.kind == Kind::array ? reader_.next_item(first, child) : reader_.next_name(first, name)) {
      if (element.kind == Kind::object) {
        child = reader_.value();
        out.names.push_back(name);
      }
      if (++nodes_ > kTreeNodesMax) reader_.fail("JSON of more than a million values");
      if (reader_.failed()) break;
      out.children.push_back(node(child, depth + 1));
    }
    return out;
  }

 private:
  Reader& reader_;
  std::size_t nodes_ = 0;
};

}  // namespace

const Node* Node::find(std::string_view name) const {
  if (kind != Kind::object) return nullptr;
  for (std::size_t i = names.size(); i > 0; --i) {
    if (names[i - 1] == name) return children[i - 1].kind == Kind::null ? nullptr : &children[i - 1];
  }
  return nullptr;
}

Result<Node> read_node(Reader& reader, const Element& value) {
  Node out = Builder(reader).node(value, 0);
  if (reader.failed()) return fail(Code::invalid, reader.error());
  return out;
}

Result<Node> read_tree(Reader& reader) {
  if (reader.is_strict() && !is_utf8(reader.document())) return fail(Code::invalid, "the JSON is not valid UTF-8");
  const Element root = reader.value();
  Node out = Builder(reader).node(root, 0);
  if (!reader.failed() && !reader.at_end()) reader.fail("unexpected text after the JSON value" + reader.place());
  if (reader.failed()) return fail(Code::invalid, reader.error());
  return out;
}

Result<Node> read_strict(Reader& reader) {
  reader.set_strict();
  return read_tree(reader);
}

Status check_strict(std::string_view text) {
  Reader reader(text);
  VARVE_RETURN_IF_ERROR(read_strict(reader));
  return {};
}

}  // namespace varve::protocol::json
