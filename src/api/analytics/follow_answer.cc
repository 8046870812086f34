// SPDX-License-Identifier: Apache-2.0
#include "api/analytics/follow_answer.h"

#include <map>
#include <utility>

#include "api/analytics/ndjson_answer.h"
#include "api/shared/query_answer.h"
#include "language/analytics/answer_rows.h"

namespace varve::api {
namespace {

namespace analytics = language::analytics;
using Question = analytics::MessageQuestion;

constexpr std::chrono::milliseconds kSettleMost{10'000};

// The stored rows, and behind them the follower's.
//
// A message that comes while these are read may be stored and heard. What is stored is looked up first; what was being
// appended then is awaited; whatever was heard by that time is not told of what is stored.
class FollowedPast {
 public:
  FollowedPast(std::unique_ptr<analytics::Answering> answering, std::unique_ptr<const Question> question,
               std::shared_ptr<Follower> follower)
      : answering_(std::move(answering)), question_(std::move(question)), follower_(std::move(follower)) {}

  Status open(write::MessageNews& news, const std::string& tenant) {
    VARVE_RETURN_IF_ERROR(news.settle(tenant, kSettleMost));
    const auto is_heard = [this](message::RowView row) { return take_heard(row); };
    VARVE_ASSIGN_OR_RETURN(rows_, analytics::rows_in_order(*answering_, question_->asked, is_heard));
    VARVE_RETURN_IF_ERROR(news.settle(tenant, kSettleMost));
    for (const auto& message : follower_->waiting()) ++heard_[{message.low, message.high}];
    return {};
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
  bool take_heard(message::RowView row) {
    if (heard_.empty()) return false;
    const auto id = identity_of(row);
    const auto at = heard_.find({id.low, id.high});
    if (at == heard_.end()) return false;
    if (--at->second == 0) heard_.erase(at);
    return true;
  }

  const std::unique_ptr<analytics::Answering> answering_;
  const std::unique_ptr<const Question> question_;
  const std::shared_ptr<Follower> follower_;
  std::unique_ptr<analytics::AnswerRows> rows_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::size_t> heard_;
  std::uint64_t told_ = 0;
};

}  // namespace

Result<Response> follow_answer(Followers& followers, const Request& request,
                               std::unique_ptr<analytics::Answering> answering,
                               std::unique_ptr<const Question> question) {
  const auto query = answering->shared_query();
  VARVE_ASSIGN_OR_RETURN(auto follower, followers.add(request.tenant, request.body, question->asked));
  const auto past = std::make_shared<FollowedPast>(std::move(answering), std::move(question), follower);
  VARVE_RETURN_IF_ERROR(past->open(followers.news(), request.tenant));
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
