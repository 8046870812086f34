// SPDX-License-Identifier: Apache-2.0
#include "api/loki/asking.h"

#include <utility>
#include <vector>

#include "api/loki/handlers.h"
#include "api/loki/stream_counts.h"
#include "api/shared/query_answer.h"
#include "language/logql/labels.h"
#include "language/logql/parser.h"

namespace varve::api {
namespace {

namespace logql = language::logql;

constexpr std::int64_t kNsPerUs = 1000;
constexpr std::int64_t kNsPerMs = 1'000'000;

// Rounded down.
std::int64_t us_of(std::int64_t ns) { return ns / kNsPerUs - (ns % kNsPerUs < 0 ? 1 : 0); }

Status find_rows(const LokiAsking& asking, logql::TimeSpan span, const message::Condition& condition, bool newest_first,
                 const logql::RowSink& sink) {
  if (span.end_ns <= span.first_ns) return {};
  query::MessageSearch search = asking.search_of(span, condition);
  search.newest_first = newest_first;
  return query::search(asking.store, search, asking.query.deadline(), [&](message::RowView row) -> Result<bool> {
    return LokiAsking::has(span, row) ? sink(row) : true;
  });
}

// Only names that have other characters than a label's become one: with an underscore in it.
Result<std::vector<std::string>> field_names(const LokiAsking& asking, std::string_view label) {
  std::vector<std::string> out;
  if (!label.contains('_')) return out;
  VARVE_ASSIGN_OR_RETURN(const auto names, asking.store.message_names(asking.request.tenant));
  for (const std::string& field : names.fields) {
    if (!logql::is_label_name(field) && logql::label_name_of(field) == label) out.push_back(field);
  }
  return out;
}

}  // namespace

// The span is not empty.
query::MessageSearch LokiAsking::search_of(logql::TimeSpan span, const message::Condition& condition) const {
  query::MessageSearch search;
  search.tenant = request.tenant;
  search.first_us = us_of(span.first_ns);
  search.last_us = us_of(span.end_ns - 1);
  search.condition = condition;
  return search;
}

bool LokiAsking::has(logql::TimeSpan span, message::RowView row) {
  const std::int64_t ns = row.time_us() * kNsPerUs + row.nanos();
  return ns >= span.first_ns && ns < span.end_ns;
}

logql::Source LokiAsking::source() const {
  return {.find = [this](logql::TimeSpan span, const message::Condition& condition, bool newest_first,
                         const logql::RowSink& sink) { return find_rows(*this, span, condition, newest_first, sink); },
          .count = [this](const logql::CountQuestion& question,
                          const logql::CountSink& sink) { return count_lines(*this, question, sink); },
          .names = [this](std::string_view label) { return field_names(*this, label); },
          .hold = [this](std::size_t bytes) { return hold(bytes); }};
}

Result<message::Condition> LokiAsking::selected_by(std::string_view parameter) const {
  message::Condition out{message::Condition::Kind::any, {}, {}};
  query::Expressions expressions;
  for (const std::string_view text : parameters.all(parameter)) {
    if (text.empty()) continue;
    VARVE_ASSIGN_OR_RETURN(const auto matchers, logql::parse_selector(text, expressions));
    VARVE_ASSIGN_OR_RETURN(out.parts.emplace_back(), logql::condition_of(matchers, source().names));
  }
  return out.parts.empty() ? message::Condition() : std::move(out);
}

int loki_status_of(Code code) { return code == Code::unsupported ? 400 : query_status_of(code); }

Result<Response> answer_question(const LokiParts& parts, const Request& request, LokiWork work) {
  const LokiContext& context = parts.context;
  VARVE_ASSIGN_OR_RETURN(auto query, begin_query(context.engine, request, "loki"));
  VARVE_ASSIGN_OR_RETURN(const auto parameters, LokiParameters::of(request));
  const LokiAsking asking{context.store,   request, parameters, *query, context.clock.now_ms() * kNsPerMs,
                          context.rows_max};
  const RegexMeter meter([&query] { return query->deadline().check(); });  // of the stages behind a search
  auto made = work(asking);
  if (!meter.status()) made = fail(meter.status().error());
  VARVE_ASSIGN_OR_RETURN(auto body, query->explain(std::move(made)));
  return held_by(std::move(query), Response::json(200, std::move(body)));
}

}  // namespace varve::api
