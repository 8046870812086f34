// SPDX-License-Identifier: Apache-2.0
#include "api/kairosdb/metadata.h"

#include <algorithm>
#include <utility>

#include "api/kairosdb/kairosdb_parts.h"
#include "api/shared/endpoint.h"
#include "api/shared/http.h"
#include "model/tenant.h"
#include "protocol/json/writer.h"

namespace varve::api {
namespace {

using storage::TextName;
using storage::TextStore;

// A list may be asked for with a slash behind it, which is no part of a name unless it is encoded.
TextName name_of(const Request& request) {
  const auto part = [&](std::string_view name) { return std::string(request.captured(name)); };
  TextName name{request.tenant, part("service"), part("service_key"), part("key")};
  const bool is_encoded =
      std::ranges::find(request.name_slashes, request.path.size() - 1) != request.name_slashes.end();
  if (name.key.empty() && request.path.ends_with('/') && !is_encoded) {
    (name.service_key.empty() ? name.service : name.service_key).pop_back();
  }
  return name;
}

Response results(const std::vector<std::string>& names) {
  std::string body;
  protocol::json::Writer(body).begin_object().key("results").array(names).end_object();
  return kairosdb_response(200, std::move(body));
}

// As often as it has keys, as KairosDB does it.
Result<Response> service_keys(TextStore& texts, const TextName& name, const Request&) {
  VARVE_ASSIGN_OR_RETURN(const auto found, texts.text_names(name.tenant, name.service));
  std::vector<std::string> keys;
  for (const TextName& one : found) keys.push_back(one.service_key);
  return results(keys);
}

Result<Response> keys(TextStore& texts, const TextName& name, const Request& request) {
  const auto prefix = request.param("startsWith").value_or(std::string_view{});
  VARVE_ASSIGN_OR_RETURN(const auto found, texts.text_keys(name.tenant, name.service, name.service_key, prefix));
  return results(found);
}

Result<Response> text(TextStore& texts, const TextName& name, const Request&) {
  VARVE_ASSIGN_OR_RETURN(const auto found, texts.text(name));
  if (!found) return fail(Code::not_found, "Key not found");
  Response response = kairosdb_response(200, *found);
  response.content_type = "text/plain;charset=utf-8";
  return response;
}

Result<Response> put(TextStore& texts, const TextName& name, const Request& request) {
  VARVE_RETURN_IF_ERROR(model::check_writable(name.tenant));
  VARVE_RETURN_IF_ERROR(texts.put_text(name, request.body));
  return kairosdb_response(204);
}

Result<Response> erase(TextStore& texts, const TextName& name, const Request&) {
  VARVE_RETURN_IF_ERROR(model::check_writable(name.tenant));
  VARVE_RETURN_IF_ERROR(texts.erase_text(name));
  return kairosdb_response(204);
}

using Work = Result<Response> (*)(TextStore&, const TextName&, const Request&);

Result<Response> of_named(TextStore& texts, Work work, const Request& request) {
  const TextName name = name_of(request);
  if (name.service.starts_with('_')) return Response::empty(401);
  for (const std::string* part : {&name.service, &name.service_key, &name.key}) {
    if (!protocol::json::is_utf8(*part)) {
      return fail(Code::invalid, "a service, service key or key is not valid UTF-8");
    }
  }
  return work(texts, name, request);
}

}  // namespace

void add_kairosdb_metadata(Router& router, TextStore& texts, TaskPool& pool) {
  const Endpoint endpoint(pool, {.shape = kairosdb_error, .status_of = status_of});
  const auto named = [&](Work work) {
    return endpoint.on_pool([&texts, work](const Request& request) { return of_named(texts, work, request); });
  };
  // The last part takes what is left of a path: the longest patterns first.
  const std::string service = "/api/v1/metadata/{service}";
  const std::string service_key = service + "/{service_key}";
  const std::string key = service_key + "/{key}";
  router.add(Method::get, key, named(text));
  router.add(Method::post, key, named(put), Effect::writes);
  router.add(Method::delete_, key, named(erase), Effect::deletes);
  router.add(Method::get, service_key, named(keys));
  router.add(Method::get, service, named(service_keys));
}

}  // namespace varve::api
