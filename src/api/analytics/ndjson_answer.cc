// SPDX-License-Identifier: Apache-2.0
#include "api/analytics/ndjson_answer.h"

#include <utility>

#include "protocol/json/writer.h"

namespace varve::api {

namespace analytics = language::analytics;

void append_error_line(std::string& out, const Error& error) {
  protocol::json::Writer(out).begin_object().member("error", error.message).end_object();
  out += '\n';
}

Result<std::shared_ptr<NdjsonAnswer>> NdjsonAnswer::open(std::unique_ptr<analytics::Answering> answering,
                                                         std::unique_ptr<const Question> question) {
  std::shared_ptr<NdjsonAnswer> out(new NdjsonAnswer(std::move(answering), std::move(question)));
  VARVE_ASSIGN_OR_RETURN(out->rows_, analytics::answer_rows(*out->answering_, *out->question_));
  VARVE_ASSIGN_OR_RETURN(out->more_, out->fill(out->first_));
  return out;
}

Result<bool> NdjsonAnswer::fill(std::string& piece) {
  while (piece.size() < http::kPieceBytes) {
    VARVE_ASSIGN_OR_RETURN(const bool is_row, rows_->next(piece));
    if (!is_row) return false;
    piece += '\n';
  }
  return true;
}

bool NdjsonAnswer::next(std::string& piece) {
  if (!first_.empty()) {
    piece += first_;
    std::string().swap(first_);
    return more_;
  }
  if (!more_) return false;
  answering_->start_anew();
  const auto filled = fill(piece);
  more_ = filled && *filled;
  if (!filled) append_error_line(piece, filled.error());
  return more_;
}

}  // namespace varve::api
