// SPDX-License-Identifier: Apache-2.0
#include "api/esmond/rows.h"

namespace varve::api::esmond {

using protocol::json::Writer;
using snmp::inventory::HistoryRow;

Result<std::vector<HistoryRow>> rows_of(const Call& call, const std::string& device, snmp::inventory::HistoryKind kind,
                                        Span span) {
  VARVE_ASSIGN_OR_RETURN(auto rows,
                         call.parts.history.rows(call.request.tenant, device, kind, {span.begin - 1, span.end + 1}));
  std::erase_if(rows, [&](const HistoryRow& row) { return !overlaps(span, row.begin, row.end); });
  return rows;
}

void append_time(Writer& json, const Call& call, std::string_view key, std::optional<model::Timestamp> time) {
  json.key(key);
  if (call.is_v1) {
    json.value(iso_of(time));
  } else {
    json.value(epoch_of(time));
  }
}

void append_attribute(Writer& json, std::string_view key, const snmp::inventory::Attribute& attribute) {
  json.key(key);
  if (const auto* const text = std::get_if<std::string>(&attribute)) {
    json.value(*text);
  } else if (const auto* const number = std::get_if<std::int64_t>(&attribute)) {
    json.value(*number);
  } else {
    json.null();
  }
}

}  // namespace varve::api::esmond
