// SPDX-License-Identifier: Apache-2.0
// What answers Prometheus' routes, and the parts that it is answered from.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "api/shared/context.h"
#include "api/shared/endpoint.h"
#include "api/shared/http.h"

namespace varve::api {

// Outlives the router, as everything that it refers to.
struct PrometheusParts {
  explicit PrometheusParts(const Context& context);

  write::Writer& writer;
  const query::Engine& engine;
  std::shared_ptr<write::MetricMetadataStore> metadata;
  std::string version;  // of varve
  ServerFacts facts;
  PromqlOptions options;
  Endpoint queries;
  Endpoint names;
};

// remote_write.cc
void write_series(const PrometheusParts& parts, const Request& request, const Responder& answer);
// The message and a line's end, as text: of what is written.
Response prometheus_error(int status, std::string_view message, const Request& request);

// remote_read.cc
Result<Response> read_remotely(const PrometheusParts& parts, const Request& request);

// query.cc
Result<Response> answer_instant_query(const PrometheusParts& parts, const Request& request);
Result<Response> answer_range_query(const PrometheusParts& parts, const Request& request);
Result<Response> format_query(const PrometheusParts& parts, const Request& request);
Result<Response> parse_query(const PrometheusParts& parts, const Request& request);

// names.cc
Result<Response> answer_prometheus_labels(const PrometheusParts& parts, const Request& request);
Result<Response> answer_prometheus_values(const PrometheusParts& parts, const Request& request);
Result<Response> answer_prometheus_series(const PrometheusParts& parts, const Request& request);

// metadata.cc
Result<Response> answer_metric_metadata(const PrometheusParts& parts, const Request& request);

// status.cc
void show_prometheus_build(const PrometheusParts& parts, const Request& request, const Responder& answer);
void show_prometheus_runtime(const PrometheusParts& parts, const Request& request, const Responder& answer);
void show_prometheus_flags(const PrometheusParts& parts, const Request& request, const Responder& answer);
void show_prometheus_config(const PrometheusParts& parts, const Request& request, const Responder& answer);
void show_no_rules(const PrometheusParts& parts, const Request& request, const Responder& answer);
void show_no_alerts(const PrometheusParts& parts, const Request& request, const Responder& answer);
void show_no_targets(const PrometheusParts& parts, const Request& request, const Responder& answer);
void show_no_exemplars(const PrometheusParts& parts, const Request& request, const Responder& answer);

// tsdb_status.cc
Result<Response> answer_tsdb_status(const PrometheusParts& parts, const Request& request);

}  // namespace varve::api
