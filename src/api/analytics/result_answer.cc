// SPDX-License-Identifier: Apache-2.0
#include "api/analytics/result_answer.h"

#include <functional>
#include <utility>

#include "api/shared/query_answer.h"

namespace varve::api {
namespace {

namespace analytics = language::analytics;

// What is held of an answer while it is sent.
class ResultBeingSent final : public http::Held {
 public:
  explicit ResultBeingSent(const std::shared_ptr<MemoryLedger>& ledger) : held_(ledger, MemoryLedger::Kind::answer) {}

  [[nodiscard]] bool hold() { return held_.resize(kPiecesHeld * analytics::kResultPartBytes); }
  Status on_end(std::function<void()> /*call*/) override { return {}; }  // nobody ends it

 private:
  MemoryLedger::Account held_;
};

}  // namespace

Result<Response> result_answer(const std::shared_ptr<MemoryLedger>& ledger,
                               const std::shared_ptr<analytics::KeptResults>& results, const analytics::QueryName& name,
                               std::uint32_t parts) {
  const auto sent = std::make_shared<ResultBeingSent>(ledger);
  if (!sent->hold()) return fail(Code::unavailable, "requests hold all the memory that limits.memory allows");
  VARVE_ASSIGN_OR_RETURN(const auto first, results->part(name, 0));
  Response response = Response::json(200, *first);
  response.held = sent;
  if (parts == 1) return response;
  response.more = [results, name, parts, next = std::uint32_t{1}](std::string& piece) mutable -> Status {
    piece.clear();
    if (next == parts) return {};
    VARVE_ASSIGN_OR_RETURN(const auto part, results->part(name, next++));
    piece = *part;
    return {};
  };
  return response;
}

}  // namespace varve::api
