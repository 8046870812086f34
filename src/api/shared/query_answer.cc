// SPDX-License-Identifier: Apache-2.0
#include "api/shared/query_answer.h"

#include "base/check.h"

namespace varve::api {
namespace {

class HeldQuery final : public http::Held {
 public:
  explicit HeldQuery(std::shared_ptr<query::UnderWay> query) : query_(std::move(query)) {}
  Status on_end(std::function<void()> call) override {
    if (query_->ticket().on_kill(std::move(call))) return {};
    return fail(Code::limit, "the query was killed by an operator");
  }

 private:
  const std::shared_ptr<query::UnderWay> query_;
};

}  // namespace

int query_status_of(Code code) {
  if (code == Code::limit) return 422;
  return code == Code::timeout ? 504 : status_of(code);
}

Response with_read(Response response, const query::Read& read) {
  response.headers.emplace_back("Varve-Read", query::text_of(read));
  return response;
}

Response held_by_answer(std::shared_ptr<query::UnderWay> query, Response response) {
  check(query != nullptr && response.held == nullptr, "an answer holds one query");
  response.held = std::make_shared<HeldQuery>(std::move(query));
  return response;
}

Result<std::shared_ptr<query::UnderWay>> begin_query(const query::Engine& engine, const Request& request,
                                                     std::string api, std::string_view metric,
                                                     std::chrono::milliseconds timeout) {
  std::string text =
      request.body.empty() ? target_text(request) : std::string(request.body.substr(0, query::kQueryTextMax));
  query::Request shown = query::shown_as(request.tenant, std::move(api), std::move(text), std::string(metric));
  shown.timeout = timeout;
  return query::UnderWay::begin(engine, shown, request.gone.get());
}

Status charge_names(query::Budget& budget, const std::vector<std::string>& names) {
  std::size_t bytes = 0;
  for (const std::string& name : names) bytes += sizeof name + 2 * name.size();
  return budget.charge(bytes);
}

Result<Response> held_by(std::shared_ptr<query::UnderWay> query, Response response) {
  VARVE_RETURN_IF_ERROR(query->answered(response.body.capacity()));
  return held_by_answer(std::move(query), std::move(response));
}

}  // namespace varve::api
