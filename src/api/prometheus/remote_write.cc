// SPDX-License-Identifier: Apache-2.0
// Prometheus remote write. The sender repeats a batch after a 5xx (and a 429, if told to), and drops it after any other
// 4xx: so good series are kept beside bad ones, and the answer names the bad.
#include <algorithm>

#include "api/shared/http.h"
#include "api/shared/ingest.h"
#include "http/media_type.h"
#include "protocol/prometheus/remote_write.h"

namespace varve::api {
namespace {

namespace prometheus = protocol::prometheus;

std::string refused_series(const protocol::Outcome& outcome) {
  constexpr std::size_t kNamed = 20;
  std::string text = std::to_string(outcome.rejected) + " refused";
  const std::size_t named = std::min(kNamed, outcome.listed.size());
  for (std::size_t i = 0; i < named; ++i) {
    text += i == 0 ? ": " : "; ";
    text += "series " + std::to_string(outcome.listed[i].position) + ": " + outcome.listed[i].reason;
  }
  if (outcome.rejected > named) text += "; and " + std::to_string(outcome.rejected - named) + " more";
  return text + "\n";
}

Response response_to(const protocol::Outcome& outcome) {
  if (outcome.rejected == 0) return Response::empty(204);
  int status = 400;
  if (outcome.count(Code::unavailable) != 0) status = 503;
  if (outcome.accepted == 0 && outcome.count(Code::limit) == outcome.rejected) status = 429;
  return with_retry(Response::text(status, refused_series(outcome)));
}

Response refusal(const Error& error) { return with_retry(Response::text(status_of(error.code), error.message + "\n")); }

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

void write_series(const IngestContext& context, Counter& stale, const Request& request, const Responder& answer) {
  if (request.tenant.empty()) return answer(Response::text(400, "the request names no tenant\n"));
  if (!takes_content_type(request)) {
    return answer(Response::text(415,
                                 "this is remote write 1.0: Content-Type: application/x-protobuf, and "
                                 "proto=prometheus.WriteRequest if it says proto\n"));
  }
  if (request.header("content-encoding").empty()) {
    return answer(Response::text(415, "remote write needs Content-Encoding: snappy (or zstd)\n"));
  }
  auto ingest = context.writer.open(request.tenant, write::Family::remote_write);
  if (!ingest) return answer(refusal(ingest.error()));
  const auto outcome = prometheus::parse_write_request(request.body, (*ingest)->groups(), (*ingest)->batch());
  if (!outcome) {
    context.writer.count_rejected(outcome.error().code, 1);
    return answer(refusal(outcome.error()));
  }
  stale.add(outcome->stale);
  for (std::size_t code = 0; code < outcome->by_code.size(); ++code) {
    if (outcome->by_code[code] != 0) context.writer.count_rejected(static_cast<Code>(code), outcome->by_code[code]);
  }
  context.writer.commit(std::move(*ingest), [answer, response = response_to(*outcome)](const Status& status) mutable {
    answer(status ? std::move(response) : refusal(status.error()));
  });
}

}  // namespace

void add_prometheus_ingest(Router& router, const IngestContext& context) {
  Counter& stale = context.metrics.counter("varve_samples_rejected_total",
                                           "Samples, lines or points refused, by reason.", {{"reason", "stale"}});
  router.add(
      Method::post, "/api/v1/write",
      [context, &stale](const Request& request, const Responder& answer) {
        write_series(context, stale, request, answer);
      },
      Effect::writes);
}

}  // namespace varve::api
