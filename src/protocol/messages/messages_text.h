// SPDX-License-Identifier: Apache-2.0
// For tests: messages of a body as text, and their errors.
#pragma once

#include <string>
#include <string_view>

#include "base/check.h"
#include "base/hex.h"
#include "message/row.h"
#include "protocol/messages/ndjson.h"

namespace varve::protocol::messages {

// "12.345 source='a' level=3 f='x' n=#1.5 l=[1] m=~'x'": nanoseconds only where there are some; fields by their own
// names.
inline std::string text_of(message::RowView row) {
  std::string out = std::to_string(row.time_us());
  if (row.nanos() != 0) out += "." + std::to_string(row.nanos());
  message::CellReader cells = row.reader();
  for (message::Cell cell; cells.next(cell);) {
    const bool field = cell.column == message::Column::field;
    const std::string text(cell.text);
    out.append(" ").append(field ? cell.name : message::name_of(cell.column).key).append("=");
    if (cell.column == message::Column::id) {
      append_hex(out, text);
    } else if (message::is_integer(cell.column)) {
      out += std::to_string(cell.number);
    } else if (field && cell.form != message::FieldForm::text) {
      if (cell.form == message::FieldForm::number) out += '#';
      out += cell.form == message::FieldForm::metadata ? "~'" + text + "'" : text;
    } else {
      out.append("'").append(text).append("'");
    }
  }
  return out;
}

// Rows and then errors ("! 2: reason"), parted by " | ".
inline std::string text_of(const message::Batch& batch, const Outcome& outcome) {
  std::string out;
  const auto add = [&](const std::string& piece) { out.append(out.empty() ? "" : " | ").append(piece); };
  std::size_t rows = 0;
  for (const auto* at = batch.bytes().data(); at < batch.bytes().data() + batch.bytes().size(); ++rows) {
    const std::size_t bytes = message::check_row(at, batch.bytes().data() + batch.bytes().size());
    check(bytes != 0, "rows are well-formed");
    add(text_of(message::RowView{at}));
    at += bytes;
  }
  for (const Rejected& one : outcome.listed) add("! " + std::to_string(one.position) + ": " + one.reason);
  check(rows == batch.rows() && rows == outcome.accepted, "rows are counted");
  return out;
}

// The same parsed one way, with these bytes behind the body.
inline std::string parsed(std::string_view body, Options options, Way way, char padding) {
  const std::string bytes = std::string(body) + std::string(kBodyPadding, padding);
  options.way = way;
  message::Batch batch;
  const Outcome outcome = parse_messages({bytes.data(), body.size()}, options, batch);
  return text_of(batch, outcome);
}

}  // namespace varve::protocol::messages
