// SPDX-License-Identifier: Apache-2.0
// KairosDB's metadata service.
#include <utility>

#include "api/kairosdb/handlers.h"
#include "protocol/json/writer.h"

namespace varve::api {
namespace {

using storage::TextName;
using storage::TextStore;

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
  VARVE_RETURN_IF_ERROR(texts.put_text(name, request.body));
  return kairosdb_response(204);
}

Result<Response> erase(TextStore& texts, const TextName& name, const Request&) {
  VARVE_RETURN_IF_ERROR(texts.erase_text(name));
  return kairosdb_response(204);
}

using Work = Result<Response> (*)(TextStore&, const TextName&, const Request&);

Result<Response> of_named(const KairosdbParts& parts, const Request& request, Work work) {
  const auto part = [&](std::string_view name) { return std::string(request.captured(name)); };
  const TextName name{request.tenant, part("service"), part("service_key"), part("key")};
  if (name.service.starts_with('_')) return Response::empty(401);
  for (const std::string* one : {&name.service, &name.service_key, &name.key}) {
    if (!protocol::json::is_utf8(*one)) {
      return fail(Code::invalid, "a service, service key or key is not valid UTF-8");
    }
  }
  return work(parts.texts, name, request);
}

}  // namespace

Result<Response> list_service_keys(const KairosdbParts& parts, const Request& request) {
  return of_named(parts, request, service_keys);
}
Result<Response> list_keys(const KairosdbParts& parts, const Request& request) {
  return of_named(parts, request, keys);
}
Result<Response> get_text(const KairosdbParts& parts, const Request& request) { return of_named(parts, request, text); }
Result<Response> put_text(const KairosdbParts& parts, const Request& request) { return of_named(parts, request, put); }
Result<Response> erase_text(const KairosdbParts& parts, const Request& request) {
  return of_named(parts, request, erase);
}

}  // namespace varve::api
