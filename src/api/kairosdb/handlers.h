// SPDX-License-Identifier: Apache-2.0
// What answers KairosDB's routes. routes.cc has the table of them.
#pragma once

#include "api/kairosdb/kairosdb_parts.h"

namespace varve::api {

// put.cc: good points are stored if none is bad.
void put_datapoints(const KairosdbParts& parts, const Request& request, const Responder& answer);

// query.cc
Result<Endpoint::Planned> plan_kairosdb_query(const KairosdbParts& parts, const Request& request);
Result<Response> query_kairosdb_tags(const KairosdbParts& parts, const Request& request);

// names.cc: its lists of names; the parameters of all three beside KairosDB's own: discovery.h.
Result<Response> list_metric_names(const KairosdbParts& parts, const Request& request);
Result<Response> list_tag_names(const KairosdbParts& parts, const Request& request);
Result<Response> list_tag_values(const KairosdbParts& parts, const Request& request);

// delete.cc: a metric over all time, or what a query would read.
Result<Response> run_kairosdb_delete(const KairosdbParts& parts, const Request& request);

// metadata.cc: texts that clients keep beside their metrics. Services whose names begin with '_' are the server's own:
// 401.
Result<Response> list_service_keys(const KairosdbParts& parts, const Request& request);
Result<Response> list_keys(const KairosdbParts& parts, const Request& request);
Result<Response> get_text(const KairosdbParts& parts, const Request& request);
Result<Response> put_text(const KairosdbParts& parts, const Request& request);
Result<Response> erase_text(const KairosdbParts& parts, const Request& request);

// running_queries.cc: what runs now, and an end to it. A tenant sees and ends its own queries only. Answered on the
// thread that asks: where all of the pool's threads are in long queries, these two have to work.
void list_running_queries(const KairosdbParts& parts, const Request& request, const Responder& respond);
void kill_query(const KairosdbParts& parts, const Request& request, const Responder& respond);

// about.cc: version, health, and a description of the query language, which query builders read.
void show_version(const KairosdbParts& parts, const Request& request, const Responder& respond);
void show_health(const KairosdbParts& parts, const Request& request, const Responder& respond);
void list_features(const KairosdbParts& parts, const Request& request, const Responder& respond);
void show_feature(const KairosdbParts& parts, const Request& request, const Responder& respond);
// 204: it is well, or there is nothing to do.
void say_well(const KairosdbParts& parts, const Request& request, const Responder& respond);

}  // namespace varve::api
