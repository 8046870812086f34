// SPDX-License-Identifier: Apache-2.0
#include "api/esmond/routes.h"

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
#include "api/shared/endpoint.h"

namespace varve::api {
namespace {

constexpr std::size_t kPlain = 3;  // segments of /esmond/{version}/device
constexpr std::size_t kBulk = 4;

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

class EsmondHandlers {
 public:
  EsmondHandlers(Router& router, const Context& context, const EsmondContext& esmond)
      : router_(router),
        parts_{context.writer, context.queries, esmond.inventory, esmond.history, esmond.keys},
        endpoint_(context.query_pool, {.shape = esmond_error},
                  QueryMetrics(context.metrics, context.queries.clock(), "esmond")) {}

  void add(Method method, const std::string& pattern, std::size_t skip, esmond::Work work,
           Effect effect = Effect::reads) const {
    router_.add(
        method, "/esmond/{version}/" + pattern,
        endpoint_.on_pool([parts = parts_, skip, work, needs_key = effect == Effect::writes](const Request& request) {
          return answer(parts, request, skip, needs_key, work);
        }),
        effect);
  }
  // With a slash at its end, and without one.
  void add_list(Method method, const std::string& pattern, std::size_t skip, esmond::Work work) const {
    add(method, pattern, skip, work);
    add(method, pattern + "/", skip, work);
  }

 private:
  static Result<Response> answer(const esmond::Parts& parts, const Request& request, std::size_t skip, bool needs_key,
                                 esmond::Work work) {
    esmond::Call call{parts, request};
    call.is_v1 = request.path.starts_with("/esmond/v1/");
    if (!call.is_v1 && !request.path.starts_with("/esmond/v2/")) return nothing_there(call);
    const EsmondAsker asker = parts.keys.asker(request.header("authorization"));
    if (asker == EsmondAsker::refused) return esmond_error(401, "this is not a key of esmond.keys");
    call.is_known = asker == EsmondAsker::known;
    if (needs_key && !call.is_known) return esmond_error(401, "this needs a key");
    auto names = esmond::names_behind(request, skip);
    if (!names) return fail(Code::invalid, "a name is UTF-8");
    call.names = std::move(*names);
    return work(call);
  }

  Router& router_;
  const esmond::Parts parts_;
  const Endpoint endpoint_;
};

}  // namespace

void add_esmond_routes(Router& router, const Context& context, const EsmondContext& esmond) {
  const EsmondHandlers handlers(router, context, esmond);
  handlers.add_list(Method::get, "device", kPlain, esmond::list_devices);
  handlers.add(Method::get, "device/{path}", kPlain, below_devices);
  handlers.add(Method::put, "device/{path}", kPlain, esmond::change_device, Effect::writes);
  handlers.add_list(Method::get, "interface", kPlain, esmond::list_interfaces);
  handlers.add_list(Method::get, "oidset", kPlain, esmond::list_oidsets);
  handlers.add_list(Method::get, "oidsetmap", kPlain, esmond::map_oidsets);
  handlers.add(Method::get, "timeseries/{path}", kPlain, esmond::show_series);
  handlers.add(Method::post, "timeseries/{path}", kPlain, esmond::post_series, Effect::writes);
  handlers.add_list(Method::post, "bulk/interface", kBulk, esmond::bulk_interfaces);
  handlers.add_list(Method::post, "bulk/timeseries", kBulk, esmond::bulk_series);
  handlers.add_list(Method::get, "pdu", kPlain, esmond::list_pdus);
  handlers.add(Method::get, "pdu/{path}", kPlain, esmond::below_pdus);
  handlers.add_list(Method::get, "outlet", kPlain, esmond::list_outlets);
  handlers.add_list(Method::get, "inventory", kPlain, esmond::list_row_keys);
}

}  // namespace varve::api
