// SPDX-License-Identifier: Apache-2.0
#include "http/query_answer.h"

namespace varve::http {

Result<std::shared_ptr<query::UnderWay>> begin_query(const query::Engine& engine, const Request& request,
                                                     std::string api, std::string_view metric) {
  std::string text =
      request.body.empty() ? target_text(request) : std::string(request.body.substr(0, query::kQueryTextMax));
  const query::Request shown = query::shown_as(request.tenant, std::move(api), std::move(text), std::string(metric));
  return query::UnderWay::begin(engine, shown, request.gone.get());
}

Status charge_names(query::Budget& budget, const std::vector<std::string>& names) {
  std::size_t bytes = 0;
  for (const std::string& name : names) bytes += sizeof name + 2 * name.size();
  return budget.charge(bytes);
}

Result<Response> held_by(std::shared_ptr<query::UnderWay> query, Response response) {
  VARVE_CHECK_OK(query->answered(response.body.capacity()));
  response.held = std::move(query);
  return response;
}

}  // namespace varve::http
