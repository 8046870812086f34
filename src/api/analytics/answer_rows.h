// SPDX-License-Identifier: Apache-2.0
// AnswerRows: the rows of an answer as JSON, one after the other. There is one file for each kind of answer.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/analytics/answering.h"

namespace varve::api {

class AnswerRows {
 public:
  virtual ~AnswerRows() = default;
  // Appends the next row. False: there is none left.
  virtual Result<bool> next(std::string& out) = 0;
  // Has every row been made, and charged for, before the first one is given?
  [[nodiscard]] virtual bool is_gathered() const { return true; }
};

// Rows that were all made before.
class GatheredRows final : public AnswerRows {
 public:
  explicit GatheredRows(std::vector<std::string> rows) : rows_(std::move(rows)) {}
  Result<bool> next(std::string& out) override {
    if (next_ == rows_.size()) return false;
    std::string row = std::move(rows_[next_++]);  // its memory goes
    out += row;
    return true;
  }

 private:
  std::vector<std::string> rows_;
  std::size_t next_ = 0;
};

// Whatever is asked; both have to outlive the rows.
Result<std::unique_ptr<AnswerRows>> answer_rows(Answering& answering, const Answering::Question& question);

// Messages by time, read while they are taken; without those that `skips`, if there is one.
Result<std::unique_ptr<AnswerRows>> rows_in_order(Answering& answering,
                                                  const language::analytics::AnalyticsQuery& asked,
                                                  std::function<bool(message::RowView)> skips = nullptr);
Result<std::vector<std::string>> sorted_rows(Answering& answering, const language::analytics::AnalyticsQuery& asked);
Result<std::vector<std::string>> counted_rows(Answering& answering, const language::analytics::AnalyticsQuery& asked);
// Distinct ids of an object table.
Result<std::vector<std::string>> id_rows(Answering& answering, const language::analytics::AnalyticsQuery& asked);
// FieldNames.
Result<std::vector<std::string>> value_rows(Answering& answering, const Answering::Question& question);

}  // namespace varve::api
