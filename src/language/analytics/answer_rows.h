// SPDX-License-Identifier: Apache-2.0
// AnswerRows: the rows of an answer as JSON, one after the other.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "language/analytics/answering.h"

namespace varve::language::analytics {

class AnswerRows {
 public:
  virtual ~AnswerRows() = default;
  // Appends the next row. False: there is none left.
  virtual Result<bool> next(std::string& out) = 0;
  // Has every row been made, and charged for, before the first one is given?
  [[nodiscard]] virtual bool is_gathered() const { return true; }
};

// Whatever is asked; both have to outlive the rows.
Result<std::unique_ptr<AnswerRows>> answer_rows(Answering& answering, const MessageQuestion& question);

// Messages by time, read while they are taken; without those that `skips`, if there is one.
Result<std::unique_ptr<AnswerRows>> rows_in_order(Answering& answering, const AnalyticsQuery& asked,
                                                  std::function<bool(message::RowView)> skips = nullptr);
// Distinct ids of an object table.
Result<std::vector<std::string>> id_rows(Answering& answering, const AnalyticsQuery& asked);
// FieldNames.
Result<std::vector<std::string>> value_rows(Answering& answering, const MessageQuestion& question);

}  // namespace varve::language::analytics
