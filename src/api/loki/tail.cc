// SPDX-License-Identifier: Apache-2.0
// /loki/api/v1/tail: the last lines of a query, and every one that comes, over a WebSocket.
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "api/loki/handlers.h"
#include "api/shared/query_answer.h"
#include "language/logql/condition.h"
#include "language/logql/parser.h"

namespace varve::api {
namespace {

namespace logql = language::logql;

constexpr std::chrono::milliseconds kTailSettleMost{10'000};
constexpr std::uint64_t kTailLinesUnlessSaid = 100;

Result<TailQuery> tail_query_of(const LokiAsking& asking) {
  VARVE_ASSIGN_OR_RETURN(const auto delay, asking.parameters.number("delay_for", 0));
  if (delay != 0) {
    return fail(Code::unsupported, "delay_for is not supported: lines come as soon as they are acknowledged");
  }
  VARVE_ASSIGN_OR_RETURN(auto parsed, logql::parse(asking.parameters.get("query").value_or("")));
  auto* const query = std::get_if<logql::LogQuery>(&parsed);
  if (query == nullptr) return fail(Code::invalid, "a tail is of a query of lines, not of a metric");
  VARVE_ASSIGN_OR_RETURN(auto condition, logql::condition_of(*query, asking.source));
  return TailQuery{std::move(*query), std::move(condition)};
}

// The newest lines that are stored and not heard, in order of time. Those that came meanwhile are behind them.
Result<TailLines> stored_lines(const LokiAsking& asking, const TailQuery& asked, write::MessageNews& news, Tail& tail) {
  VARVE_ASSIGN_OR_RETURN(const std::int64_t start_ns, asking.parameters.time("start", asking.now_ns - kHourNs));
  VARVE_ASSIGN_OR_RETURN(const auto limit, asking.parameters.number("limit", kTailLinesUnlessSaid));
  if (limit > asking.rows_max) return fail(Code::invalid, "limit is above messages.rows_max");
  VARVE_RETURN_IF_ERROR(news.settle(asking.request.tenant, kTailSettleMost));
  std::vector<std::pair<TailIdentity, std::vector<std::byte>>> newest;
  std::size_t bytes = 0;
  logql::Labels labels;
  const auto take = [&](message::RowView row) -> Result<bool> {
    if (newest.size() >= limit) return false;
    labels.read(row);
    TailLines one;
    if (!one.add(asked, row)) return true;
    newest.emplace_back(tail_identity_of(row), std::vector<std::byte>(row.span().begin(), row.span().end()));
    VARVE_RETURN_IF_ERROR(asking.source.hold(row.bytes()));
    bytes += row.bytes();
    return bytes < http::WebSocketFeed::kWaitingBytesMax;
  };
  const logql::TimeSpan span{start_ns, std::numeric_limits<std::int64_t>::max()};
  if (limit > 0) VARVE_RETURN_IF_ERROR(asking.source.find(span, asked.condition, true, take));
  VARVE_RETURN_IF_ERROR(news.settle(asking.request.tenant, kTailSettleMost));
  const std::set<TailIdentity> heard = tail.heard();
  TailLines lines;
  for (auto at = newest.rbegin(); at != newest.rend(); ++at) {
    if (!heard.contains(at->first)) lines.add(asked, {at->second.data()});
  }
  return lines;
}

Result<Response> answer_tail(const LokiAsking& asking, Tails& tails) {
  VARVE_ASSIGN_OR_RETURN(auto response, http::accept_websocket(asking.request));
  VARVE_ASSIGN_OR_RETURN(const auto asked, tail_query_of(asking));
  const std::string_view text = asking.parameters.get("query").value_or("");
  VARVE_ASSIGN_OR_RETURN(const auto tail, tails.add(asking.request.tenant, text, asked));
  VARVE_ASSIGN_OR_RETURN(const auto lines, stored_lines(asking, asked, tails.news(), *tail));
  if (!lines.empty()) {
    VARVE_ASSIGN_OR_RETURN(auto first, charged_text(tails.ledger(), lines.text()));
    tail->send_first(std::move(first));
  }
  tail->start();
  response.feed = tail;
  return response;
}

}  // namespace

Result<Response> follow_tail(const LokiParts& parts, const Request& request) {
  const LokiContext& context = parts.context;
  VARVE_ASSIGN_OR_RETURN(const auto query, begin_query(context.engine, request, "loki"));
  VARVE_ASSIGN_OR_RETURN(const auto parameters, LokiParameters::of(request));
  const LokiAsking asking(context, request, parameters, *query);
  const RegexMeter meter([&query] { return query->deadline().check(); });  // of what is stored
  auto answer = answer_tail(asking, *parts.tails);
  if (!meter.status()) answer = fail(meter.status().error());
  return query->explain(std::move(answer));
}

}  // namespace varve::api
