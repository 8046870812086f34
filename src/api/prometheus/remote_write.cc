// SPDX-License-Identifier: Apache-2.0
// Prometheus remote write. The sender repeats a batch after a 5xx (and a 429, if told to), and drops it after any other
// 4xx: so good series are kept beside bad ones, and the answer names the bad.
#include <algorithm>
#include <string>
#include <utility>

#include "api/prometheus/error.h"
#include "api/prometheus/handlers.h"
#include "api/shared/writing.h"
#include "http/media_type.h"
#include "protocol/prometheus/remote_write.h"

namespace varve::api {
namespace {

namespace prometheus = protocol::prometheus;

// Remote write 2.0 sends another message to the same path, told apart by nothing but the content type.
bool is_write_request(std::string_view content_type) {
  const auto type = http::parse_media_type(content_type);
  if (!type || type->essence != "application/x-protobuf") return false;
  return std::ranges::all_of(type->parameters, [](const auto& parameter) {
    return parameter.first != "proto" || parameter.second == "prometheus.WriteRequest";
  });
}

bool takes_content_type(const Request& request) {
  return std::ranges::all_of(request.headers, [](const auto& header) {
    return header.first != "content-type" || is_write_request(header.second);
  });
}

}  // namespace

PrometheusParts::PrometheusParts(const Context& context)
    : writer(context.writer),
      engine(context.queries),
      metadata(context.metadata),
      version(context.version),
      facts(context.facts),
      options(context.promql),
      queries(context.query_pool, prometheus_status_of,
              QueryMetrics(context.metrics, context.queries.clock(), "promql")),
      names(context.query_pool, prometheus_status_of,
            QueryMetrics(context.metrics, context.queries.clock(), "promql_names")) {}

Response prometheus_error(int status, std::string_view message, const Request&) {
  return with_retry(Response::text(status, std::string(message) + "\n"));
}

void write_series(const PrometheusParts& parts, const Request& request, const Responder& answer) {
  if (!takes_content_type(request)) {
    return answer(request.error(415,
                                "this is remote write 1.0: Content-Type: application/x-protobuf, and "
                                "proto=prometheus.WriteRequest if it says proto"));
  }
  if (request.header("content-encoding").empty()) {
    return answer(request.error(415, "remote write needs Content-Encoding: snappy (or zstd)"));
  }
  auto ingest = parts.writer.open(request.tenant, write::Family::remote_write);
  if (!ingest) return answer(request.error(ingest.error()));
  write::NewMetadata news(*parts.metadata, request.tenant);
  const auto outcome = prometheus::parse_write_request(request.body, (*ingest)->groups(), (*ingest)->batch(),
                                                       [&news](const model::MetricMetadata& one) { news.take(one); });
  if (!outcome) {
    parts.writer.count_rejected(outcome.error().code, 1);
    return answer(request.error(outcome.error()));
  }
  count_refused(parts.writer, *outcome);
  Response response = Response::empty(204);
  if (outcome->rejected != 0) {
    response = request.error(status_of_refused(*outcome),
                             std::to_string(outcome->rejected) + " refused: " + refused_rows(*outcome, "series"));
  }
  auto stored = when_stored(request, answer, std::move(response));
  if (news.empty()) return parts.writer.commit(std::move(*ingest), std::move(stored));
  parts.writer.commit(std::move(*ingest), [metadata = parts.metadata, news = std::move(news),
                                           stored = std::move(stored)](const Status& status) mutable {
    metadata->keep(std::move(news));
    stored(status);
  });
}

}  // namespace varve::api
