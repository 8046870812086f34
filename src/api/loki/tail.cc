// SPDX-License-Identifier: Apache-2.0
// /loki/api/v1/tail: the last lines of a query, and every one that comes, over a WebSocket.
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "api/loki/handlers.h"
#include "api/shared/query_answer.h"
#include "http/websocket_feed.h"
#include "language/logql/condition.h"
#include "language/logql/parser.h"
#include "language/logql/tail_lines.h"

namespace varve::api {
namespace {

namespace logql = language::logql;

constexpr std::uint64_t kTailLinesUnlessSaid = 100;

std::shared_ptr<const std::string> tail_text(const std::shared_ptr<const query::Findings>& found) {
  return {found, &found->text};
}

// One who follows a query over a WebSocket.
class Tail final : public http::WebSocketFeed, public query::Subscriber {
 public:
  bool give(const std::shared_ptr<const query::Findings>& found) override {
    if (send(tail_text(found))) return true;
    end(http::CloseCode::policy, "messages come faster than they are read", found->missed);
    return false;
  }
  void fail_with(const Error& error, std::string_view missed) override {
    end(http::CloseCode::policy, error.message, std::string(missed));
  }
};

struct TailAsked {
  logql::LogQuery query;
  message::Condition condition;

  [[nodiscard]] std::unique_ptr<logql::TailLines> lines() const {
    return std::make_unique<logql::TailLines>(query, condition);
  }
};

Result<TailAsked> tail_asked(const LokiAsking& asking) {
  VARVE_ASSIGN_OR_RETURN(const auto delay, asking.parameters.number("delay_for", 0));
  if (delay != 0) {
    return fail(Code::unsupported, "delay_for is not supported: lines come as soon as they are acknowledged");
  }
  VARVE_ASSIGN_OR_RETURN(auto parsed, logql::parse(asking.parameters.get("query").value_or("")));
  auto* const query = std::get_if<logql::LogQuery>(&parsed);
  if (query == nullptr) return fail(Code::invalid, "a tail is of a query of lines, not of a metric");
  VARVE_ASSIGN_OR_RETURN(auto condition, logql::condition_of(*query, asking.source));
  return TailAsked{std::move(*query), std::move(condition)};
}

// Rows of the newest lines that are stored, the newest first.
Result<std::vector<std::vector<std::byte>>> newest_rows(const LokiAsking& asking, const TailAsked& asked) {
  VARVE_ASSIGN_OR_RETURN(const std::int64_t start_ns, asking.parameters.time("start", asking.now_ns - kHourNs));
  VARVE_ASSIGN_OR_RETURN(const auto limit, asking.parameters.number("limit", kTailLinesUnlessSaid));
  if (limit > asking.rows_max) return fail(Code::invalid, "limit is above messages.rows_max");
  std::vector<std::vector<std::byte>> newest;
  std::size_t bytes = 0;
  const auto lines = asked.lines();
  const auto take = [&](message::RowView row) -> Result<bool> {
    if (newest.size() >= limit) return false;
    if (!lines->asks_for(row)) return true;
    newest.emplace_back(row.span().begin(), row.span().end());
    VARVE_RETURN_IF_ERROR(asking.source.hold(row.bytes()));
    bytes += row.bytes();
    return bytes < http::WebSocketFeed::kWaitingBytesMax;
  };
  const logql::TimeSpan span{start_ns, std::numeric_limits<std::int64_t>::max()};
  if (limit > 0) VARVE_RETURN_IF_ERROR(asking.source.find(span, asked.condition, true, take));
  return newest;
}

// Sends the newest lines that are stored and not heard, in order of time. Those that came meanwhile are behind them.
Status send_stored(const LokiAsking& asking, const TailAsked& asked, const query::Subscriptions& tails, Tail& tail) {
  VARVE_RETURN_IF_ERROR(tails.settle(asking.request.tenant));
  VARVE_ASSIGN_OR_RETURN(const auto newest, newest_rows(asking, asked));
  VARVE_RETURN_IF_ERROR(tails.settle(asking.request.tenant));
  query::Heard heard = tail.take_heard();
  VARVE_RETURN_IF_ERROR(asking.source.hold(heard.bytes()));
  const auto found = std::make_shared<query::Findings>(tails.ledger());
  const auto lines = asked.lines();
  for (auto at = newest.rbegin(); at != newest.rend(); ++at) {
    const message::RowView row{at->data()};
    if (!heard.take(row) && lines->asks_for(row)) lines->append(*found);
  }
  lines->finish(*found);
  if (found->text.empty()) return {};
  VARVE_RETURN_IF_ERROR(found->charge());
  tail.send_first(tail_text(found));
  return {};
}

Result<Response> answer_tail(const LokiAsking& asking, query::Subscriptions& tails) {
  VARVE_ASSIGN_OR_RETURN(auto response, http::accept_websocket(asking.request));
  VARVE_ASSIGN_OR_RETURN(const auto asked, tail_asked(asking));
  const auto tail = std::make_shared<Tail>();
  VARVE_RETURN_IF_ERROR(tails.add(
      asking.request.tenant, asking.parameters.get("query").value_or(""), [&] { return asked.lines(); }, tail));
  VARVE_RETURN_IF_ERROR(send_stored(asking, asked, tails, *tail));
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
