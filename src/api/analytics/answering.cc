// SPDX-License-Identifier: Apache-2.0
#include "api/analytics/answering.h"

#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "query/messages/found_rows.h"

namespace varve::api {

namespace analytics = language::analytics;
using analytics::AnalyticsQuery;

std::size_t limit_of(const AnalyticsQuery& asked) {
  return asked.limit.value_or(std::numeric_limits<std::size_t>::max());
}

Answering::Answering(const MessageSource& source, std::string tenant, std::shared_ptr<query::UnderWay> query,
                     std::shared_ptr<std::atomic<bool>> gone)
    : source_(source), tenant_(std::move(tenant)), query_(std::move(query)), gone_(std::move(gone)) {
  start_anew();
}

void Answering::start_anew() { deadline_.emplace(source_.clock, source_.engine.limits(), gone_.get()); }

// The names that the tenant's messages have brought along are asked for only where the question needs them.
Result<std::unique_ptr<const Answering::Question>> Answering::read(std::string_view body) const {
  std::optional<storage::MessageNames> known;
  Status failed;
  const auto names = [&]() -> const storage::MessageNames& {
    if (!known) {
      auto found = source_.store.message_names(tenant_);
      if (!found) failed = fail(found.error());
      known = found ? std::move(*found) : storage::MessageNames{};
    }
    return *known;
  };
  const auto known_field = [&](std::string_view name) { return names().fields.contains(name); };
  auto out = std::make_unique<Question>();
  const std::int64_t now_us = source_.now_us();
  auto asked = analytics::parse_query(body, {now_us, out->tables, known_field});
  VARVE_RETURN_IF_ERROR(failed);
  const bool needs_types =
      asked ? asked->table.kind == analytics::TableKind::stat : asked.error().code == Code::not_found;
  if (needs_types) {
    const auto& types = names().object_types;
    VARVE_RETURN_IF_ERROR(failed);
    out->tables = analytics::Tables(std::vector<std::string>(types.begin(), types.end()));
    asked = analytics::parse_query(body, {now_us, out->tables, known_field});
  }
  if (!asked) return std::unexpected(std::move(asked.error()));
  out->asked = std::move(*asked);
  return out;
}

Result<std::unique_ptr<message::RowSource>> Answering::rows(const AnalyticsQuery& asked, bool newest_first) const {
  query::MessageSearch search;
  search.tenant = tenant_;
  search.first_us = asked.first_us;
  search.last_us = asked.last_us;
  search.condition = asked.condition;
  search.newest_first = newest_first;
  return query::found_rows(source_.store, search, [this] { return deadline_->check(); });
}

Status Answering::each(const AnalyticsQuery& asked, const std::function<Status(message::RowView)>& call) {
  VARVE_ASSIGN_OR_RETURN(const auto found, rows(asked, false));
  while (true) {
    VARVE_ASSIGN_OR_RETURN(const auto row, found->next());
    if (!row) return {};
    VARVE_RETURN_IF_ERROR(call(*row));
  }
}

Status Answering::may_hold(std::size_t rows, std::size_t bytes) {
  if (rows > source_.rows_max) {
    return fail(Code::limit,
                "the answer has more than " + std::to_string(source_.rows_max) + " rows (messages.rows_max)");
  }
  if (bytes <= charged_) return {};
  VARVE_RETURN_IF_ERROR(query_->budget().charge(bytes - charged_));
  charged_ = bytes;
  return {};
}

}  // namespace varve::api
