// SPDX-License-Identifier: Apache-2.0
// Rows of an answer as NDJSON, piece by piece: what a reader has not taken is not made.
#pragma once

#include <memory>
#include <string>

#include "api/shared/http.h"
#include "language/analytics/answer_rows.h"

namespace varve::api {

inline constexpr std::string_view kNdjson = "application/x-ndjson";

class NdjsonAnswer {
 public:
  using Question = language::analytics::MessageQuestion;

  // With the first piece, so that what is wrong from the beginning is an error.
  static Result<std::shared_ptr<NdjsonAnswer>> open(std::unique_ptr<language::analytics::Answering> answering,
                                                    std::unique_ptr<const Question> question);

  // Appends the next piece, of about http::kPieceBytes. False: that was the last one. What goes wrong now is the last
  // line: {"error":…}.
  bool next(std::string& piece);

 private:
  NdjsonAnswer(std::unique_ptr<language::analytics::Answering> answering, std::unique_ptr<const Question> question)
      : answering_(std::move(answering)), question_(std::move(question)) {}
  Result<bool> fill(std::string& piece);

  const std::unique_ptr<language::analytics::Answering> answering_;
  const std::unique_ptr<const Question> question_;
  std::unique_ptr<language::analytics::AnswerRows> rows_;
  std::string first_;
  bool more_ = true;
};

// {"error":"…"} and the line's end.
void append_error_line(std::string& out, const Error& error);

}  // namespace varve::api
