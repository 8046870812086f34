// SPDX-License-Identifier: Apache-2.0
// Any body gives a query that keeps the promises of query.h, or an error with a message; some messages make rows of it
// that are JSON.
#include <string>

#include "base/check.h"
#include "language/analytics/counted_rows.h"
#include "language/analytics/field_names.h"
#include "language/analytics/sorted_rows.h"
#include "message/builder.h"
#include "message/matches.h"
#include "protocol/json/tree.h"

namespace analytics = varve::language::analytics;
namespace message = varve::message;
using varve::check;

namespace {

constexpr std::int64_t kNowUs = 1'700'000'000'000'000;

void make_messages(message::Batch& batch) {
  message::Builder builder(batch);
  for (std::int64_t kind = 0; kind < 13; ++kind) {
    builder.start();
    builder.set(message::Column::kind, kind);
    builder.set(message::Column::level, 7 - kind);
    check(builder.set(message::Column::source, "node-1").has_value(), "a text");
    check(builder.set(message::Column::ip, kind % 2 == 0 ? "10.0.0.1" : "fe80::1").has_value(), "a text");
    check(builder.set(message::Column::text, "Disk /dev/sda1 full\xff").has_value(), "a text");
    for (const auto* name : {"Rack:a", "Rack:b:c", "ObjectVNTable:v"})
      check(builder.add_object(name).has_value(), "a name");
    check(builder.add_field("f", message::FieldForm::number, kind == 3 ? "x" : "1.5").has_value(), "a field");
    check(builder.add_field("g", message::FieldForm::json, "[1,").has_value(), "a field");
    builder.finish(kNowUs - kind * 1'000'000, static_cast<unsigned>(kind));
  }
}

void check_promises(const analytics::AnalyticsQuery& query) {
  check(query.first_us <= query.last_us || query.follow, "the end is not before the start");
  check(!query.limit || *query.limit > 0, "a limit lets something through");
  check(!query.select.empty(), "something is selected");
  for (const std::size_t place : query.sort) check(place < query.select.size(), "what is sorted by is selected");
}

void answer(const analytics::AnalyticsQuery& query, const message::Batch& batch) {
  analytics::MessageRows rows(query);
  analytics::SortedRows sorted(query);
  analytics::CountedRows counted(query);
  for (const std::byte *at = batch.bytes().data(), *const end = at + batch.bytes().size(); at < end;) {
    const message::RowView row{at};
    at += row.bytes();
    if (!message::matches(query.condition, row)) continue;
    const std::size_t count = rows.read(row);
    check(query.asks_of_id || count > 0, "a message that fulfils the condition has a row");
    for (std::size_t i = 0; i < count; ++i) {
      if (query.counts) {
        counted.add(rows, i);
      } else {
        sorted.add(rows, i, row);
      }
    }
  }
  const auto lines = query.counts ? counted.take() : sorted.take();
  check(!query.limit || lines.size() <= *query.limit, "no more than the limit");
  for (const std::string& line : lines) check(varve::protocol::json::check_strict(line).has_value(), "a row is JSON");
}

void list_values(const analytics::AnalyticsQuery& query, const analytics::Tables& tables) {
  for (const auto& column : analytics::columns_asked(query, tables)) {
    std::string line;
    if (!analytics::value_fulfils(query, column.name, "node-1")) continue;
    analytics::append_value_json(line, query, column.name, "node-1");
    check(varve::protocol::json::check_strict(line).has_value(), "a row is JSON");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  static const std::string seen[] = {"Rack"};
  static const analytics::Tables tables(seen);
  static message::Batch batch;
  if (batch.empty()) make_messages(batch);
  const auto known = [](std::string_view name) { return name == "f" || name == "g"; };
  const auto query = analytics::parse_query({reinterpret_cast<const char*>(data), size}, {kNowUs, tables, known});
  if (!query) {
    using varve::Code;
    const Code code = query.error().code;
    check(code == Code::invalid || code == Code::unsupported || code == Code::not_found, "one of three kinds");
    check(!query.error().message.empty(), "an error says something");
    return 0;
  }
  check_promises(*query);
  if (query->table.kind == analytics::TableKind::stat) {
    list_values(*query, tables);
  } else {
    answer(*query, batch);
  }
  return 0;
}
