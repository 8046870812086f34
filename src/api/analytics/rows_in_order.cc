// SPDX-License-Identifier: Apache-2.0
#include "api/analytics/answer_rows.h"
#include "language/analytics/rows.h"
#include "language/analytics/sorted_rows.h"

namespace varve::api {
namespace {

namespace analytics = language::analytics;

class RowsInOrder final : public AnswerRows {
 public:
  RowsInOrder(const analytics::AnalyticsQuery& asked, std::unique_ptr<message::RowSource> source,
              std::function<bool(message::RowView)> skips)
      : source_(std::move(source)), skips_(std::move(skips)), rows_(asked), left_(limit_of(asked)) {}

  Result<bool> next(std::string& out) override {
    if (left_ == 0) return false;
    while (next_ == of_message_) {
      VARVE_ASSIGN_OR_RETURN(const auto row, source_->next());
      if (!row) return false;
      if (skips_ && skips_(*row)) continue;
      of_message_ = rows_.read(*row);
      next_ = 0;
    }
    rows_.append_json(out, next_++);
    --left_;
    return true;
  }
  [[nodiscard]] bool is_gathered() const override { return false; }

 private:
  const std::unique_ptr<message::RowSource> source_;
  const std::function<bool(message::RowView)> skips_;
  analytics::MessageRows rows_;
  std::size_t left_;
  std::size_t next_ = 0, of_message_ = 0;  // rows of the message that was read last
};

}  // namespace

Result<std::unique_ptr<AnswerRows>> rows_in_order(Answering& answering, const analytics::AnalyticsQuery& asked,
                                                  std::function<bool(message::RowView)> skips) {
  const bool newest_first = analytics::order_of(asked) == analytics::Order::time_down;
  VARVE_ASSIGN_OR_RETURN(auto source, answering.rows(asked, newest_first));
  return std::make_unique<RowsInOrder>(asked, std::move(source), std::move(skips));
}

}  // namespace varve::api
