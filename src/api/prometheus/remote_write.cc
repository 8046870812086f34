// SPDX-License-Identifier: Apache-2.0
// Prometheus remote write. The sender repeats a batch after a 5xx (and a 429, if told to), and drops it after any other
// 4xx: so good series are kept beside bad ones, and the answer names the bad.
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

// 1.0 and 2.0 send other messages to the same path, told apart by the content type. nullptr: it is neither.
using WriteParser = decltype(&prometheus::parse_write_request);
WriteParser write_parser_of(std::string_view content_type) {
  const auto type = http::parse_media_type(content_type);
  if (!type || type->essence != "application/x-protobuf") return nullptr;
  WriteParser parser = nullptr;
  for (const auto& [name, value] : type->parameters) {
    if (name != "proto") continue;
    const WriteParser said = value == "prometheus.WriteRequest"          ? prometheus::parse_write_request
                             : value == "io.prometheus.write.v2.Request" ? prometheus::parse_write_request_2
                                                                         : nullptr;
    if (said == nullptr || (parser != nullptr && said != parser)) return nullptr;
    parser = said;
  }
  return parser == nullptr ? prometheus::parse_write_request : parser;
}

// Without a content type it is 1.0, as old senders have it.
WriteParser write_parser_of(const Request& request) {
  WriteParser parser = nullptr;
  for (const auto& [name, value] : request.headers) {
    if (name != "content-type") continue;
    const WriteParser said = write_parser_of(value);
    if (said == nullptr || (parser != nullptr && said != parser)) return nullptr;
    parser = said;
  }
  return parser == nullptr ? prometheus::parse_write_request : parser;
}

// What senders of 2.0 compare with what they sent. To those of 1.0 it is not said: they would take exemplars that are
// left out for a failure.
Response with_written(Response response, std::size_t samples) {
  response.headers.emplace_back("X-Prometheus-Remote-Write-Samples-Written", std::to_string(samples));
  response.headers.emplace_back("X-Prometheus-Remote-Write-Histograms-Written", "0");
  response.headers.emplace_back("X-Prometheus-Remote-Write-Exemplars-Written", "0");
  return response;
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
  const WriteParser parse = write_parser_of(request);
  if (parse == nullptr) {
    return answer(request.error(415,
                                "this is remote write: Content-Type: application/x-protobuf, and if it says proto, "
                                "proto=prometheus.WriteRequest or proto=io.prometheus.write.v2.Request"));
  }
  if (request.header("content-encoding").empty()) {
    return answer(request.error(415, "remote write needs Content-Encoding: snappy (or zstd)"));
  }
  auto ingest = parts.writer.open(request.tenant, write::Family::remote_write);
  if (!ingest) return answer(request.error(ingest.error()));
  write::NewMetadata news(*parts.metadata, request.tenant);
  const auto outcome = parse(request.body, (*ingest)->groups(), (*ingest)->batch(),
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
  if (parse == &prometheus::parse_write_request_2) {
    // With staleness markers, also those that have nothing to end.
    response = with_written(std::move(response), (*ingest)->batch().rows() + outcome->left_out);
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
