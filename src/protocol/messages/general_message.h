// SPDX-License-Identifier: Apache-2.0
// The complete way to read one message: any JSON object.
#pragma once

#include <deque>
#include <string>
#include <string_view>

#include "protocol/json/reader.h"
#include "protocol/messages/cells.h"

namespace varve::protocol::messages {

// Which keys are columns.
struct Mapping {
  // Of a key, or of the path of one in an object in an object, with dots; nullptr: a field.
  const message::ColumnName* (*column_of)(std::string_view path) = message::column_of;
  // A value that its column does not take is a field; else it is an error. Times are always an error.
  bool others_are_fields = false;
};

// The object that `reader` (strict) has just opened: its cells, up to and with its end. An error without
// reader.failed(): the value is wrong and was perhaps not read to its end. Texts are in the body, the reader and
// `names`.
Status read_message(json::Reader& reader, Cells& cells, std::deque<std::string>& names, const Mapping& mapping = {});

// What the failed reader complains about. Of one line only the column says anything.
Error not_json(const json::Reader& reader, bool one_line);

}  // namespace varve::protocol::messages
