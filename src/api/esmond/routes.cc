// SPDX-License-Identifier: Apache-2.0
#include "api/esmond/routes.h"

#include <memory>
#include <utility>

#include "api/esmond/bulk.h"
#include "api/esmond/call.h"
#include "api/esmond/data.h"
#include "api/esmond/devices.h"
#include "api/esmond/interfaces.h"
#include "api/esmond/oidsets.h"
#include "api/esmond/outlets.h"
#include "api/esmond/row_keys.h"
#include "api/esmond/timeseries.h"
#include "api/shared/routes.h"

namespace varve::api {
namespace {

std::unexpected<Error> nothing_there(const esmond::Call& call) {
  return fail(Code::not_found, "there is no path " + call.request.path.substr(0, 200));
}

// device/D/, device/D/interface/, device/D/interface/I, device/D/interface/I/ALIAS
Result<Response> below_devices(const esmond::Call& call) {
  if (call.names.size() == 1) return esmond::show_device(call);
  if (call.names.size() < 2 || call.names[1] != "interface") return nothing_there(call);
  if (call.names.size() == 2) return esmond::list_interfaces_of_device(call);
  return call.names.size() == 3 ? esmond::show_interface(call) : esmond::show_data(call);
}

struct EsmondParts {
  esmond::Parts parts;
  Endpoint endpoint;
};

Result<Response> answer_call(const esmond::Parts& parts, const Request& request, bool needs_key, esmond::Work work) {
  esmond::Call call{parts, request};
  const std::string_view version = request.captured("version");
  call.is_v1 = version == "v1";
  if (!call.is_v1 && version != "v2") return nothing_there(call);
  const EsmondAsker asker = parts.keys.asker(request.header("authorization"));
  if (asker == EsmondAsker::refused) return request.error(401, "this is not a key of esmond.keys");
  call.is_known = asker == EsmondAsker::known;
  if (needs_key && !call.is_known) return request.error(401, "this needs a key");
  auto names = esmond::names_of_path(request);
  if (!names) return fail(Code::invalid, "a name is UTF-8");
  call.names = std::move(*names);
  return work(call);
}

template <esmond::Work work, bool needs_key>
Result<Response> esmond_call(const EsmondParts& parts, const Request& request) {
  return answer_call(parts.parts, request, needs_key, work);
}
template <esmond::Work work, bool needs_key = false>
constexpr OnPool<EsmondParts> kEsmondCall{esmond_call<work, needs_key>, &EsmondParts::endpoint};

// Lists are there with a slash at their end, and without one.
constexpr Route<EsmondParts> kEsmondRoutes[] = {
    {Method::get, "/esmond/{version}/device", kEsmondCall<esmond::list_devices>},
    {Method::get, "/esmond/{version}/device/", kEsmondCall<esmond::list_devices>},
    {Method::get, "/esmond/{version}/device/{path}", kEsmondCall<below_devices>},
    {Method::put, "/esmond/{version}/device/{path}", kEsmondCall<esmond::change_device, true>, Effect::writes},
    {Method::get, "/esmond/{version}/interface", kEsmondCall<esmond::list_interfaces>},
    {Method::get, "/esmond/{version}/interface/", kEsmondCall<esmond::list_interfaces>},
    {Method::get, "/esmond/{version}/oidset", kEsmondCall<esmond::list_oidsets>},
    {Method::get, "/esmond/{version}/oidset/", kEsmondCall<esmond::list_oidsets>},
    {Method::get, "/esmond/{version}/oidsetmap", kEsmondCall<esmond::map_oidsets>},
    {Method::get, "/esmond/{version}/oidsetmap/", kEsmondCall<esmond::map_oidsets>},
    {Method::get, "/esmond/{version}/timeseries/{path}", kEsmondCall<esmond::show_series>},
    {Method::post, "/esmond/{version}/timeseries/{path}", kEsmondCall<esmond::post_series, true>, Effect::writes},
    {Method::post, "/esmond/{version}/bulk/interface", kEsmondCall<esmond::bulk_interfaces>},
    {Method::post, "/esmond/{version}/bulk/interface/", kEsmondCall<esmond::bulk_interfaces>},
    {Method::post, "/esmond/{version}/bulk/timeseries", kEsmondCall<esmond::bulk_series>},
    {Method::post, "/esmond/{version}/bulk/timeseries/", kEsmondCall<esmond::bulk_series>},
    {Method::get, "/esmond/{version}/pdu", kEsmondCall<esmond::list_pdus>},
    {Method::get, "/esmond/{version}/pdu/", kEsmondCall<esmond::list_pdus>},
    {Method::get, "/esmond/{version}/pdu/{path}", kEsmondCall<esmond::below_pdus>},
    {Method::get, "/esmond/{version}/outlet", kEsmondCall<esmond::list_outlets>},
    {Method::get, "/esmond/{version}/outlet/", kEsmondCall<esmond::list_outlets>},
    {Method::get, "/esmond/{version}/inventory", kEsmondCall<esmond::list_row_keys>},
    {Method::get, "/esmond/{version}/inventory/", kEsmondCall<esmond::list_row_keys>},
};

}  // namespace

void add_esmond_routes(Router& router, const Context& context, const EsmondContext& esmond) {
  const auto parts = std::make_shared<const EsmondParts>(
      EsmondParts{{context.writer, context.queries, esmond.inventory, esmond.history, esmond.keys},
                  Endpoint(context.query_pool, QueryMetrics(context.metrics, context.queries.clock(), "esmond"))});
  add_routes(router, parts, kEsmondRoutes, esmond_error);
}

}  // namespace varve::api
