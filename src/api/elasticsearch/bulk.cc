// SPDX-License-Identifier: Apache-2.0
// Bulk requests: each document has its own status, and good ones are kept beside bad ones.
#include <memory>
#include <string>

#include "api/elasticsearch/routes.h"
#include "api/shared/message_ingest.h"
#include "protocol/elasticsearch/bulk.h"

namespace varve::api {
namespace {

namespace elasticsearch = protocol::elasticsearch;

constexpr std::int64_t kBulkUsPerMs = 1000;

struct BulkPut {
  MessageIngest ingest;
  void operator()(const Request& request, const Responder& answer) const;
};

void BulkPut::operator()(const Request& request, const Responder& answer) const {
  static_assert(http::kBodyPadding >= protocol::messages::kBodyPadding);
  const auto refuse = [&](const Error& why) { answer(elasticsearch_error(status_of(why.code), why.message)); };
  if (const Status writable = MessageIngest::check_tenant(request); !writable) return refuse(writable.error());
  elasticsearch::BulkOptions options;
  options.index = request.captured("index");
  options.now_us = ingest.now_us();
  options.limits = ingest.limits();
  message::Batch batch;
  auto bulk = elasticsearch::parse_bulk(request.body, options, batch);
  if (!bulk) {
    ingest.count_rejected(bulk.error().code);
    return refuse(bulk.error());
  }
  ingest.count_rejected(bulk->outcome);
  ingest.count_shed(options.limits);
  ingest.append(request.tenant, batch,
                [this, answer, bulk = std::move(*bulk), began_us = options.now_us](const Status& status) {
                  if (!status)
                    return answer(elasticsearch_error(status_of(status.error().code), status.error().message));
                  const std::int64_t took_ms = (ingest.now_us() - began_us) / kBulkUsPerMs;
                  answer(with_product(Response::json(200, elasticsearch::bulk_answer(bulk, took_ms))));
                });
}

}  // namespace

Response with_product(Response response) {
  response.headers.emplace_back("X-Elastic-Product", "Elasticsearch");
  return response;
}

Response elasticsearch_error(int status, std::string_view message, std::string_view) {
  return with_retry(with_product(Response::json(status, elasticsearch::error_json(status, message))));
}

void add_elasticsearch_routes(Router& router, const Context& context) {
  if (context.messages == nullptr) return;
  const auto put = std::make_shared<const BulkPut>(BulkPut{MessageIngest(context, "bulk")});
  // The first that fits counts: "elasticsearch" is no index.
  for (const char* path :
       {"/elasticsearch/_bulk", "/elasticsearch/{index}/_bulk", "/elasticsearch/{index}/{type}/_bulk", "/_bulk",
        "/{index}/_bulk", "/{index}/{type}/_bulk"}) {
    for (const Method method : {Method::post, Method::put}) {
      router.add(
          method, path, [put](const Request& request, const Responder& answer) { (*put)(request, answer); },
          Effect::writes);
    }
  }
  add_elasticsearch_start(router, context);
}

}  // namespace varve::api
