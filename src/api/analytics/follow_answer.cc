// SPDX-License-Identifier: Apache-2.0
#include "api/analytics/follow_answer.h"

#include <utility>

#include "api/analytics/follower.h"
#include "api/analytics/ndjson_answer.h"
#include "api/shared/query_answer.h"
#include "language/analytics/answer_rows.h"
#include "language/analytics/followed_rows.h"

namespace varve::api {
namespace {

namespace analytics = language::analytics;
using Question = analytics::MessageQuestion;

// The stored rows, and behind them the follower's.
//
// A message that comes while these are read may be stored and heard. What is stored is looked up first; what was being
// appended then is awaited; whatever was heard by that time is not told of what is stored.
class FollowedPast {
 public:
  FollowedPast(std::unique_ptr<analytics::Answering> answering, std::unique_ptr<const Question> question,
               std::shared_ptr<Follower> follower)
      : answering_(std::move(answering)), question_(std::move(question)), follower_(std::move(follower)) {}

  Status open(const query::Subscriptions& subscriptions, const std::string& tenant) {
    VARVE_RETURN_IF_ERROR(subscriptions.settle(tenant));
    const auto is_heard = [this](message::RowView row) { return heard_.take(row); };
    VARVE_ASSIGN_OR_RETURN(rows_, analytics::rows_in_order(*answering_, question_->asked, is_heard));
    VARVE_RETURN_IF_ERROR(subscriptions.settle(tenant));
    heard_ = follower_->take_heard();
    return answering_->query().budget().charge(heard_.bytes());
  }

  // As NdjsonAnswer::next(), with an error for what goes wrong.
  Result<bool> fill(std::string& piece) {
    answering_->start_anew();
    while (piece.size() < http::kPieceBytes) {
      VARVE_ASSIGN_OR_RETURN(const bool is_row, rows_->next(piece));
      if (!is_row) {
        follower_->limit(analytics::limit_of(question_->asked) - told_);
        rows_ = nullptr;  // and what it reads from
        return false;
      }
      piece += '\n';
      ++told_;
    }
    return true;
  }

  void next(std::string& piece) {
    if (rows_ == nullptr) return;
    const auto filled = fill(piece);
    if (filled) return;
    rows_ = nullptr;
    follower_->fail_with(filled.error());
  }

 private:
  const std::unique_ptr<analytics::Answering> answering_;
  const std::unique_ptr<const Question> question_;
  const std::shared_ptr<Follower> follower_;
  std::unique_ptr<analytics::AnswerRows> rows_;
  query::Heard heard_;
  std::uint64_t told_ = 0;
};

}  // namespace

Result<Response> follow_answer(query::Subscriptions& subscriptions, const Request& request,
                               std::unique_ptr<analytics::Answering> answering,
                               std::unique_ptr<const Question> question) {
  const auto query = answering->shared_query();
  const analytics::AnalyticsQuery& asked = question->asked;
  auto follower = std::make_shared<Follower>(asked.first_us);
  const auto make = [&] { return std::make_unique<analytics::FollowedRows>(asked); };
  VARVE_RETURN_IF_ERROR(subscriptions.add(request.tenant, analytics::question_key(request.body), make, follower));
  const auto past = std::make_shared<FollowedPast>(std::move(answering), std::move(question), follower);
  VARVE_RETURN_IF_ERROR(past->open(subscriptions, request.tenant));
  Response response;
  response.content_type = kNdjson;
  VARVE_ASSIGN_OR_RETURN(const bool goes_on, query->explain(past->fill(response.body)));
  VARVE_RETURN_IF_ERROR(query->answered(query->budget().used() + kPiecesHeld * response.body.capacity()));
  if (goes_on) {
    response.more = [past](std::string& piece) {
      piece.clear();
      past->next(piece);
      return Status();
    };
  }
  response.feed = std::move(follower);
  return held_by_answer(query, std::move(response));
}

}  // namespace varve::api
