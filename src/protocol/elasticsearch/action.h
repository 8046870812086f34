// SPDX-License-Identifier: Apache-2.0
// The lines of a bulk request that say what is to be done: {"create":{"_index":"logs","_id":"7"}}.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "message/row.h"

namespace varve::protocol::elasticsearch {

enum class ActionKind : std::uint8_t { create, index, update, delete_ };
std::string_view name_of(ActionKind kind);
// Is there a line with a document behind it?
constexpr bool has_document(ActionKind kind) { return kind != ActionKind::delete_; }

inline constexpr std::size_t kIndexBytesMax = 255;
inline constexpr std::size_t kDocumentIdBytesMax = 512;

struct Action {
  ActionKind kind = ActionKind::create;
  std::string index;              // "": the line names none
  std::optional<std::string> id;  // of the document
};

// Error (invalid), in Elasticsearch's words: `line` is the number, from 1.
Result<Action> read_action(std::string_view text, std::size_t line);

// A message's id is the document's, if that is a UUID, or else made of it.
std::array<char, message::kIdBytes> message_id_of(std::string_view document_id);

}  // namespace varve::protocol::elasticsearch
