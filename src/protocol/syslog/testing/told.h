// SPDX-License-Identifier: Apache-2.0
// For tests: what a frame becomes, in a line.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "model/instant.h"
#include "protocol/syslog/message.h"

namespace varve::protocol::syslog {

inline constexpr std::int64_t kNowUs = 1'696'939'200'000'000;  // 2023-10-10T12:00:00Z

inline std::string time_text(message::RowView row) {
  std::string out = model::instant(row.time_us() / 1'000'000 * 1000);
  out.pop_back();
  std::string micros = std::to_string(1'000'000 + row.time_us() % 1'000'000).substr(1);
  if (row.nanos() != 0) micros += std::to_string(1000 + row.nanos()).substr(1);
  if (micros != "000000") out += "." + micros;
  return out;
}

// source module(pid) category.level time {fields} #sequence text
inline std::string told(message::RowView row) {
  std::string source, module, pid, category, level, fields, sequence, text = " -";
  message::CellReader reader = row.reader();
  for (message::Cell cell; reader.next(cell);) {
    switch (cell.column) {
      case message::Column::source: source = cell.text; break;
      case message::Column::module: module = cell.text; break;
      case message::Column::pid: pid = "(" + std::to_string(cell.number) + ")"; break;
      case message::Column::category: category = cell.text; break;
      case message::Column::level: level = std::to_string(cell.number); break;
      case message::Column::sequence: sequence = " #" + std::to_string(cell.number); break;
      case message::Column::text: text = " '" + std::string(cell.text) + "'"; break;
      case message::Column::field: fields += " " + std::string(cell.name) + "=" + std::string(cell.text); break;
      case message::Column::kind: EXPECT_EQ(cell.number, 10); break;
      case message::Column::type: EXPECT_EQ(cell.text, "Syslog"); break;
      default: ADD_FAILURE() << static_cast<int>(cell.column);
    }
  }
  return source + " " + module + pid + " " + category + "." + level + " " + time_text(row) +
         (fields.empty() ? "" : " {" + fields.substr(1) + "}") + sequence + text;
}

inline std::string parsed(std::string_view frame, model::TimeZone zone = {}, std::int64_t now_us = kNowUs) {
  message::Batch batch;
  message::Builder builder(batch);
  Parser parser;
  const auto refused = parser.parse(frame, {now_us, zone, "192.0.2.7"}, builder);
  EXPECT_EQ(batch.rows(), refused ? 0 : 1);
  if (refused) return std::string(kRefusalNames[static_cast<std::size_t>(*refused)]);
  return told({batch.bytes().data()});
}

struct Case {
  std::string_view frame;
  std::string_view want;
};

}  // namespace varve::protocol::syslog
