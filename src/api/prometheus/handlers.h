// SPDX-License-Identifier: Apache-2.0
// What answers Prometheus' route, and the parts that it is answered from.
#pragma once

#include <string_view>

#include "api/shared/context.h"
#include "api/shared/http.h"

namespace varve::api {

// Outlives the router, as everything that it refers to.
struct PrometheusParts {
  explicit PrometheusParts(const Context& context);

  write::Writer& writer;
  Counter& stale;  // samples that only say that a series has ended
};

// remote_write.cc
void write_series(const PrometheusParts& parts, const Request& request, const Responder& answer);
// The message and a line's end, as text.
Response prometheus_error(int status, std::string_view message, const Request& request);

}  // namespace varve::api
