// SPDX-License-Identifier: Apache-2.0
#include "language/analytics/answering.h"

#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "query/messages/found_rows.h"

namespace varve::language::analytics {

namespace {

// Tells of every so many rows.
class WatchedRows final : public message::RowSource {
 public:
  WatchedRows(std::unique_ptr<message::RowSource> rows, const std::function<void(std::int64_t)>& call)
      : rows_(std::move(rows)), call_(call) {}
  Result<std::optional<message::RowView>> next() override {
    VARVE_ASSIGN_OR_RETURN(const auto row, rows_->next());
    if (row && ++count_ % kRowsBetween == 0) call_(row->time_us());
    return row;
  }

 private:
  static constexpr std::uint64_t kRowsBetween = 1024;
  const std::unique_ptr<message::RowSource> rows_;
  const std::function<void(std::int64_t)>& call_;
  std::uint64_t count_ = 0;
};

}  // namespace

std::size_t limit_of(const AnalyticsQuery& asked) {
  return asked.limit.value_or(std::numeric_limits<std::size_t>::max());
}

Answering::Answering(const MessageSource& source, std::string tenant, std::shared_ptr<query::UnderWay> query,
                     std::shared_ptr<std::atomic<bool>> gone)
    : source_(source), tenant_(std::move(tenant)), query_(std::move(query)), gone_(std::move(gone)) {
  start_anew();
}

void Answering::start_anew() { deadline_.emplace(source_.clock, source_.engine.limits(), gone_.get()); }

Result<std::unique_ptr<const MessageQuestion>> read_question(const storage::MessageStore& store,
                                                             const std::string& tenant, std::string_view body,
                                                             std::int64_t now_us, ParseQuestion* parse) {
  std::optional<storage::MessageNames> known;
  Status failed;
  const auto names = [&]() -> const storage::MessageNames& {
    if (!known) {
      auto found = store.message_names(tenant);
      if (!found) failed = fail(found.error());
      known = found ? std::move(*found) : storage::MessageNames{};
    }
    return *known;
  };
  const auto known_field = [&](std::string_view name) { return names().fields.contains(name); };
  auto out = std::make_unique<MessageQuestion>();
  auto asked = parse(body, {now_us, out->tables, known_field});
  VARVE_RETURN_IF_ERROR(failed);
  const bool needs_types = asked ? asked->table.kind == TableKind::stat : asked.error().code == Code::not_found;
  if (needs_types) {
    const auto& types = names().object_types;
    VARVE_RETURN_IF_ERROR(failed);
    out->tables = Tables(std::vector<std::string>(types.begin(), types.end()));
    asked = parse(body, {now_us, out->tables, known_field});
  }
  if (!asked) return std::unexpected(std::move(asked.error()));
  out->asked = std::move(*asked);
  return out;
}

Result<std::unique_ptr<const MessageQuestion>> Answering::read(std::string_view body) const {
  return read_question(source_.store, tenant_, body, source_.now_us(), parse_query);
}

query::MessageSearch Answering::search_of(const AnalyticsQuery& asked, bool newest_first) const {
  query::MessageSearch search;
  search.tenant = tenant_;
  search.first_us = asked.first_us;
  search.last_us = asked.last_us;
  search.condition = asked.condition;
  search.newest_first = newest_first;
  return search;
}

Result<std::unique_ptr<message::RowSource>> Answering::rows(const AnalyticsQuery& asked, bool newest_first) const {
  auto found = query::found_rows(source_.store, search_of(asked, newest_first), [this] { return deadline_->check(); });
  if (found && watch_) *found = std::make_unique<WatchedRows>(std::move(*found), watch_);
  return found;
}

Status Answering::each(const AnalyticsQuery& asked, const std::function<Status(message::RowView)>& call) {
  VARVE_ASSIGN_OR_RETURN(const auto found, rows(asked, false));
  while (true) {
    VARVE_ASSIGN_OR_RETURN(const auto row, found->next());
    if (!row) return {};
    VARVE_RETURN_IF_ERROR(call(*row));
  }
}

Status Answering::each_group(const AnalyticsQuery& asked, std::span<const message::block::GroupColumn> columns,
                             const query::GroupSink& call) {
  return query::count_groups(source_.store, search_of(asked, false), columns, *deadline_, call);
}

Status Answering::each_block(const AnalyticsQuery& asked, const query::BlockSink& block, const query::RowSink& row) {
  return query::answer_by_blocks(source_.store, search_of(asked, false), *deadline_, block, row);
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

}  // namespace varve::language::analytics
