// SPDX-License-Identifier: Apache-2.0
// The complete way to read one message: any JSON object.
#pragma once

#include <deque>
#include <string>
#include <string_view>

#include "protocol/json/reader.h"
#include "protocol/messages/cells.h"

namespace varve::protocol::messages {

// The object that `reader` (strict) has just opened: its cells, up to and with its end. An error without
// reader.failed(): the value is wrong and was perhaps not read to its end. Texts are in the body, the reader and
// `names`.
Status read_message(json::Reader& reader, Cells& cells, std::deque<std::string>& names);

// What the failed reader complains about. Of one line only the column says anything.
Error not_json(const json::Reader& reader, bool one_line);

}  // namespace varve::protocol::messages
