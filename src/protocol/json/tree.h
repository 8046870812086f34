// SPDX-License-Identifier: Apache-2.0
// A small JSON document as a tree, for bodies that are read back and forth (queries). Bounded in depth and size.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "protocol/json/reader.h"

namespace varve::protocol::json {

inline constexpr std::size_t kTreeDepthMax = 64;
inline constexpr std::size_t kTreeNodesMax = 1'000'000;

// Texts are views into the body and the reader.
struct Node {
  Kind kind = Kind::null;
  std::string_view text;                // number as written, string, "true", "false"
  const char* begin = nullptr;          // first byte in the body
  std::vector<std::string_view> names;  // of an object's values
  std::vector<Node> children;           // values of an object or items of an array

  // The last value of that name, or nullptr (also for null, and if this is no object).
  [[nodiscard]] const Node* find(std::string_view name) const;
};

// Of a list that is a member of the document: how many items it may have.
struct ItemsMost {
  std::string_view name;
  std::size_t items = 0;
  std::string_view setting = {};  // that says so, for the error
};
// Errors: invalid, in the reader's words; trailing bytes are one. unavailable: there is no room for what is read
// (ParseMemory).
Result<Node> read_tree(Reader& reader, const ItemsMost* most = nullptr);
// The value that was just read, of which arrays and objects are read to their end: a part of a document. Neither what
// is behind it nor UTF-8 is looked at.
Result<Node> read_node(Reader& reader, const Element& value);
// read_tree of a reader that is made strict: RFC 8259 to the letter, all of it UTF-8.
Result<Node> read_strict(Reader& reader);
// Is `text` that? Error: invalid.
Status check_strict(std::string_view text);

}  // namespace varve::protocol::json
