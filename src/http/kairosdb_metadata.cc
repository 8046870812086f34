// SPDX-License-Identifier: Apache-2.0
#include "http/kairosdb_metadata.h"

#include <algorithm>
#include <utility>

#include "http/answer.h"
#include "http/kairosdb_parts.h"
#include "http/url.h"
#include "model/tenant.h"
#include "protocol/json/text.h"
#include "protocol/kairosdb/datapoints.h"

namespace varve::http {
namespace {

using storage::TextName;
using storage::TextStore;

constexpr std::string_view kMetadataPath = "/api/v1/metadata/";

// What the path names: up to three parts, the last of which may have slashes.
TextName name_of(const Request& request) {
  std::size_t at = kMetadataPath.size();
  const auto take = [&] {
    const std::size_t end = segment_end(request.path, at, request.name_slashes);
    std::string part = request.path.substr(at, end - at);
    at = std::min(request.path.size(), end + 1);
    return part;
  };
  TextName name;
  name.tenant = request.tenant;
  name.service = take();
  name.service_key = take();
  name.key = request.path.substr(at);
  return name;
}

Response results(const std::vector<std::string>& names) {
  std::string body = R"({"results":[)";
  for (const std::string& name : names) {
    if (body.back() != '[') body += ',';
    protocol::json::append_string(body, name);
  }
  return kairosdb_response(200, body += "]}");
}

Response failed(const Error& error) {
  return with_retry(kairosdb_response(status_of(error.code), protocol::kairosdb::render_errors({&error.message, 1})));
}

// As often as it has keys, as KairosDB does it.
Response service_keys(TextStore& texts, const TextName& name, const Request&) {
  const auto found = texts.text_names(name.tenant, name.service);
  if (!found) return failed(found.error());
  std::vector<std::string> keys;
  for (const TextName& one : *found) keys.push_back(one.service_key);
  return results(keys);
}

Response keys(TextStore& texts, const TextName& name, const Request& request) {
  const auto prefix = request.param("startsWith").value_or(std::string_view{});
  const auto found = texts.text_keys(name.tenant, name.service, name.service_key, prefix);
  return found ? results(*found) : failed(found.error());
}

Response text(TextStore& texts, const TextName& name, const Request&) {
  const auto found = texts.text(name);
  if (!found) return failed(found.error());
  if (!*found) return failed({Code::not_found, "Key not found"});
  Response response = kairosdb_response(200, **found);
  response.content_type = "text/plain;charset=utf-8";
  return response;
}

Response put(TextStore& texts, const TextName& name, const Request& request) {
  if (const Status may = model::check_writable(name.tenant); !may) return failed(may.error());
  const Status done = texts.put_text(name, request.body);
  return done ? kairosdb_response(204) : failed(done.error());
}

Response erase(TextStore& texts, const TextName& name, const Request&) {
  if (const Status may = model::check_writable(name.tenant); !may) return failed(may.error());
  const Status done = texts.erase_text(name);
  return done ? kairosdb_response(204) : failed(done.error());
}

using Work = Response (*)(TextStore&, const TextName&, const Request&);

Handler on_pool(TextStore& texts, TaskPool& pool, Work work) {
  return [&texts, &pool, work](const Request& request, const Responder& respond) {
    if (request.tenant.empty()) return respond(kairosdb_error({Code::invalid, "the request names no tenant"}));
    TextName name = name_of(request);
    if (name.service.starts_with('_')) return respond(Response::empty(401));
    for (const std::string* part : {&name.service, &name.service_key, &name.key}) {
      if (!protocol::json::is_utf8(*part)) {
        return respond(kairosdb_error({Code::invalid, "a service, service key or key is not valid UTF-8"}));
      }
    }
    // The responder keeps the request.
    const bool taken =
        pool.post([&texts, work, name = std::move(name), &request, respond] { respond(work(texts, name, request)); });
    if (!taken) respond(kairosdb_error({Code::unavailable, "too many requests are waiting"}));
  };
}

}  // namespace

void add_kairosdb_metadata(Router& router, TextStore& texts, TaskPool& pool) {
  // The last part takes what is left of a path: the longest patterns first.
  const std::string service = std::string(kMetadataPath) + "{service}";
  const std::string service_key = service + "/{service_key}";
  const std::string key = service_key + "/{key}";
  router.add(Method::get, key, on_pool(texts, pool, text));
  router.add(Method::post, key, on_pool(texts, pool, put), Effect::writes);
  router.add(Method::delete_, key, on_pool(texts, pool, erase), Effect::deletes);
  router.add(Method::get, service_key, on_pool(texts, pool, keys));
  router.add(Method::get, service, on_pool(texts, pool, service_keys));
}

}  // namespace varve::http
