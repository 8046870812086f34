// SPDX-License-Identifier: Apache-2.0
// Bulk requests: each document has its own status, and good ones are kept beside bad ones.
#include <string>

#include "api/elasticsearch/handlers.h"
#include "api/shared/writing.h"
#include "protocol/elasticsearch/bulk.h"

namespace varve::api {
namespace {

namespace elasticsearch = protocol::elasticsearch;

constexpr std::int64_t kBulkUsPerMs = 1000;

}  // namespace

void put_bulk(const ElasticsearchParts& parts, const Request& request, const Responder& answer) {
  static_assert(http::kBodyPadding >= protocol::messages::kBodyPadding);
  const MessageIngest& ingest = parts.ingest;
  elasticsearch::BulkOptions options;
  options.index = request.captured("index");
  options.now_us = ingest.now_us();
  options.limits = ingest.limits();
  message::Batch batch;
  auto bulk = elasticsearch::parse_bulk(request.body, options, batch);
  if (!bulk) {
    ingest.count_rejected(bulk.error().code);
    return answer(request.error(bulk.error()));
  }
  ingest.count_rejected(bulk->outcome);
  ingest.count_shed(options.limits);
  const auto made = [&ingest, bulk = std::move(*bulk), began_us = options.now_us] {
    const std::int64_t took_ms = (ingest.now_us() - began_us) / kBulkUsPerMs;
    return with_product(Response::json(200, elasticsearch::bulk_answer(bulk, took_ms)));
  };
  ingest.append(request.tenant, batch, when_stored(request, answer, made));
}

Response with_product(Response response) {
  response.headers.emplace_back("X-Elastic-Product", "Elasticsearch");
  return response;
}

Response elasticsearch_error(int status, std::string_view message, const Request&) {
  return with_retry(with_product(Response::json(status, elasticsearch::error_json(status, message))));
}

}  // namespace varve::api
