// SPDX-License-Identifier: Apache-2.0
// What answers InfluxDB's routes, and the parts that it is answered from. routes.cc has the table of them.
#pragma once

#include <functional>
#include <string>

#include "api/shared/context.h"
#include "api/shared/http.h"

namespace varve::api {

// Outlives the router, as everything that it refers to.
struct InfluxParts {
  explicit InfluxParts(const Context& context);

  write::Writer& writer;
  const Clock& clock;   // for lines without a timestamp
  std::string version;  // what a client of version 1 looks at to know what it may ask
  std::function<std::string()> refusing;
};

// write.cc: good lines are stored, and bad ones are named.
void write_lines(const InfluxParts& parts, const Request& request, const Responder& answer);

// query.cc: `q` in the URL or in a form body; 400 without it.
void answer_influx_query(const InfluxParts& parts, const Request& request, const Responder& answer);

// about.cc
void ping(const InfluxParts& parts, const Request& request, const Responder& answer);
void show_influx_health(const InfluxParts& parts, const Request& request, const Responder& answer);

}  // namespace varve::api
