// SPDX-License-Identifier: Apache-2.0
#include "language/logql/source.h"

namespace varve::language::logql {
namespace {

// Rounded down.
std::int64_t us_of(std::int64_t ns) { return ns / kNsPerUs - (ns % kNsPerUs < 0 ? 1 : 0); }

}  // namespace

bool TimeSpan::has(message::RowView row) const {
  const std::int64_t ns = time_ns_of(row);
  return ns >= first_ns && ns < end_ns;
}

// The span is not empty.
query::MessageSearch Source::search_of(TimeSpan span, const message::Condition& condition) const {
  return {tenant_, us_of(span.first_ns), us_of(span.end_ns - 1), condition};
}

Status Source::find(TimeSpan span, const message::Condition& condition, bool newest_first,
                    const query::MessageSink& sink) const {
  if (span.end_ns <= span.first_ns) return {};
  query::MessageSearch search = search_of(span, condition);
  search.newest_first = newest_first;
  return query::search(store_, search, deadline_,
                       [&](message::RowView row) -> Result<bool> { return span.has(row) ? sink(row) : true; });
}

// Only names that have other characters than a label's become one: with an underscore in it.
Result<std::vector<std::string>> Source::field_names(std::string_view label) const {
  std::vector<std::string> out;
  if (!label.contains('_')) return out;
  VARVE_ASSIGN_OR_RETURN(const auto names, store_.message_names(tenant_));
  for (const std::string& field : names.fields) {
    if (!is_label_name(field) && label_name_of(field) == label) out.push_back(field);
  }
  return out;
}

}  // namespace varve::language::logql
