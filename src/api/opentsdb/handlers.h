// SPDX-License-Identifier: Apache-2.0
// What answers OpenTSDB's routes, and the parts that it is answered from. routes.cc has the table of them.
#pragma once

#include <string>

#include "api/shared/context.h"
#include "api/shared/endpoint.h"
#include "api/shared/http.h"

namespace varve::api {

// Outlives the router, as everything that it refers to.
struct OpentsdbParts {
  explicit OpentsdbParts(const Context& context);

  write::Writer& writer;
  bool tenant_tag;  // a tag of a put may name the tenant
  const query::Engine& engine;
  std::string version;  // of varve
  Endpoint of_samples, of_names;
};

// put.cc: good points are stored, and bad ones are named.
void put_opentsdb(const OpentsdbParts& parts, const Request& request, const Responder& answer);

// query.cc; docs/protocols/opentsdb-query.md shows requests and answers.
Result<Response> query_opentsdb(const OpentsdbParts& parts, const Request& request);
Result<Response> query_last(const OpentsdbParts& parts, const Request& request);
Result<Response> suggest(const OpentsdbParts& parts, const Request& request);
Result<Response> look_up(const OpentsdbParts& parts, const Request& request);

}  // namespace varve::api
