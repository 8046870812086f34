// SPDX-License-Identifier: Apache-2.0
// Answering: one query while it is answered: what it reads, how long it may take, and what it may hold.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "base/result.h"
#include "language/analytics/query.h"
#include "language/analytics/tables.h"
#include "message/row_source.h"
#include "query/deadline.h"
#include "query/messages/block_answers.h"
#include "query/messages/message_counts.h"
#include "query/messages/message_search.h"
#include "query/under_way.h"
#include "storage/message_store.h"

namespace varve::language::analytics {

// What every query is answered from. Outlives all answers.
struct MessageSource {
  const storage::MessageStore& store;
  const query::Engine& engine;
  const Clock& clock;
  std::uint64_t rows_max;

  [[nodiscard]] std::int64_t now_us() const { return clock.now_ms() * 1000; }
};

// A question, and the tables that it is read against.
struct MessageQuestion {
  AnalyticsQuery asked;
  Tables tables;
};

// Reads a body with one of language/analytics' parsers. The names that the tenant's messages have brought along are
// asked for only where the question needs them.
using ParseQuestion = Result<AnalyticsQuery>(std::string_view body, const Context& context);
Result<std::unique_ptr<const MessageQuestion>> read_question(const storage::MessageStore& store,
                                                             const std::string& tenant, std::string_view body,
                                                             std::int64_t now_us, ParseQuestion* parse);

// For one thread at a time.
class Answering {
 public:
  // `gone`: nobody waits any more.
  Answering(const MessageSource& source, std::string tenant, std::shared_ptr<query::UnderWay> query,
            std::shared_ptr<std::atomic<bool>> gone);
  Answering(const Answering&) = delete;
  Answering& operator=(const Answering&) = delete;

  [[nodiscard]] Result<std::unique_ptr<const MessageQuestion>> read(std::string_view body) const;

  // The messages that it asks for. The source may not outlive this.
  [[nodiscard]] Result<std::unique_ptr<message::RowSource>> rows(const AnalyticsQuery& asked, bool newest_first) const;
  // Each of them, in order of time.
  Status each(const AnalyticsQuery& asked, const std::function<Status(message::RowView)>& call);

  // Sealed blocks answer what they can without rows (query/messages/block_answers.h).
  Status each_block(const AnalyticsQuery& asked, const query::BlockSink& block, const query::RowSink& row);

  // Groups of them by the values of columns (query/messages/message_counts.h).
  Status each_group(const AnalyticsQuery& asked, std::span<const message::block::GroupColumn> columns,
                    const query::GroupSink& call);

  // The answer has so many rows and bytes in all. Errors: limit, unavailable.
  Status may_hold(std::size_t rows, std::size_t bytes);

  // `call` is told the time of a message now and then, as messages are read one by one. Before rows().
  void watch(std::function<void(std::int64_t time_us)> call) { watch_ = std::move(call); }

  // May it go on? Errors: cancelled, timeout.
  [[nodiscard]] Status check() const { return deadline_ ? deadline_->check() : Status(); }

  // A part of the answer is sent; making the next one may take as long as a query.
  void start_anew();

  [[nodiscard]] query::UnderWay& query() const { return *query_; }
  [[nodiscard]] const std::shared_ptr<query::UnderWay>& shared_query() const { return query_; }
  [[nodiscard]] const MessageSource& source() const { return source_; }
  [[nodiscard]] const std::string& tenant() const { return tenant_; }

 private:
  [[nodiscard]] query::MessageSearch search_of(const AnalyticsQuery& asked, bool newest_first) const;

  const MessageSource source_;
  const std::string tenant_;
  const std::shared_ptr<query::UnderWay> query_;
  const std::shared_ptr<std::atomic<bool>> gone_;
  std::optional<query::Deadline> deadline_;
  std::function<void(std::int64_t)> watch_;
  std::size_t charged_ = 0;
};

// The largest number of rows that is asked for.
std::size_t limit_of(const AnalyticsQuery& asked);

}  // namespace varve::language::analytics
