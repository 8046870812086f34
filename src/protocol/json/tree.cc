// SPDX-License-Identifier: Apache-2.0
#include "protocol/json/tree.h"

#include <string>
#include <utility>

#include "base/parse_memory.h"
#include "protocol/json/text.h"

namespace varve::protocol::json {

namespace {

// Lists grow by half or twice, and are there twice meanwhile.
constexpr std::size_t kNodeBytes = 2 * (sizeof(Node) + sizeof(std::string_view));

class Builder {
 public:
  explicit Builder(Reader& reader, const ItemsMost* most = nullptr) : reader_(reader), most_(most) {}

  Node node(const Element& element, std::size_t depth, std::size_t items_max = kTreeNodesMax) {
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
      take_one(out, items_max);
      if (reader_.failed()) break;
      out.children.push_back(node(child, depth + 1, most_of(child, depth, name)));
    }
    return out;
  }

  // What became of it.
  [[nodiscard]] Result<Node> finished(Node node) const {
    if (no_memory_) return fail(Code::unavailable, "requests hold all the memory of limits.memory");
    if (reader_.failed()) return fail(Code::invalid, reader_.error());
    return node;
  }

 private:
  // May `owner` have one more?
  void take_one(const Node& owner, std::size_t items_max) {
    if (++nodes_ > kTreeNodesMax) reader_.fail("JSON of more than a million values");
    if (items_max < kTreeNodesMax && owner.children.size() >= items_max) {
      reader_.fail("there are more than " + std::to_string(items_max) + " " + std::string(most_->name) + "; " +
                   std::string(most_->setting) + " is " + std::to_string(items_max));
    }
    if (nodes_ % kChargedTogether != 0 || ParseMemory::charge(kChargedTogether * kNodeBytes)) return;
    no_memory_ = true;
    reader_.fail("no memory");
  }
  [[nodiscard]] std::size_t most_of(const Element& child, std::size_t depth, std::string_view name) const {
    const bool bounded = most_ != nullptr && depth == 0 && child.kind == Kind::array && name == most_->name;
    return bounded ? most_->items : kTreeNodesMax;
  }

  static constexpr std::size_t kChargedTogether = 64;
  Reader& reader_;
  const ItemsMost* const most_;
  std::size_t nodes_ = 0;
  bool no_memory_ = false;
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
  Builder builder(reader);
  return builder.finished(builder.node(value, 0));
}

Result<Node> read_tree(Reader& reader, const ItemsMost* most) {
  if (reader.is_strict() && !is_utf8(reader.document())) return fail(Code::invalid, "the JSON is not valid UTF-8");
  const Element root = reader.value();
  Builder builder(reader, most);
  Node out = builder.node(root, 0);
  if (!reader.failed() && !reader.at_end()) reader.fail("unexpected text after the JSON value" + reader.place());
  return builder.finished(std::move(out));
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
