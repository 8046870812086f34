// SPDX-License-Identifier: Apache-2.0
// The way through a message as machines write it: a flat object without newlines, its keys without escapes. Everything
// else, and everything that is wrong, is for the general way.
#pragma once

#include <memory>
#include <string_view>

#include "protocol/messages/cells.h"

namespace varve::protocol::messages {

class FastMessage {
 public:
  // 64 bytes behind the body are readable.
  FastMessage(std::string_view body, Cells& cells)
      : cells_(cells), end_(body.data() + body.size()), body_bytes_(body.size()) {}

  // `at` stands at the '{'. Sets the cells and returns the place behind the '}'; nullptr: take the general way.
  // Texts are in the body or in memory that the next read() uses again.
  const char* read(const char* at);

 private:
  const char* read_value(const char* at, message::Column column, std::string_view name);
  const char* read_objects(const char* at);
  const char* read_string(const char* at, std::string_view& text);

  Cells& cells_;
  const char* end_;
  std::size_t body_bytes_;
  std::unique_ptr<char[]>
      undone_;            // strings whose escapes were undone; the body's have room there, so one message's do
  char* free_ = nullptr;  // behind those of this message
};

}  // namespace varve::protocol::messages
