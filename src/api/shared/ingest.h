// SPDX-License-Identifier: Apache-2.0
// The ways in over HTTP: parse the body, append the rows, answer when they are durable, in each protocol's own shape.
#pragma once

#include <functional>
#include <string>

#include "api/shared/http.h"
#include "base/clock.h"
#include "base/metrics.h"
#include "write/writer.h"

namespace varve::api {

// Everything here outlives the router's server.
struct IngestContext {
  write::Writer& writer;
  const Clock& clock;      // for lines without a timestamp
  Metrics& metrics;        // varve_samples_rejected_total{reason}
  std::string version;     // of varve, as /ping, /health and /api/v1/version tell it
  bool tenant_tag = true;  // a tag of OpenTSDB's put may name the tenant
  // "writes are refused: WHY", whoever sends them; or empty. May be nullptr.
  std::function<std::string()> refusing = nullptr;
};

// POST /api/v1/datapoints
void add_kairosdb_ingest(Router& router, const IngestContext& context);
// POST /api/put
void add_opentsdb_ingest(Router& router, const IngestContext& context);
// POST /write, POST /api/v2/write, GET|HEAD /ping, GET /health, GET|POST /query (CREATE DATABASE, SHOW DATABASES, …)
void add_influx_ingest(Router& router, const IngestContext& context);
// POST /api/v1/write
void add_prometheus_ingest(Router& router, const IngestContext& context);
// GET /api/v1/version, GET /api/v1/health/status, GET /api/v1/health/check
void add_kairosdb_health(Router& router, const IngestContext& context);

}  // namespace varve::api
