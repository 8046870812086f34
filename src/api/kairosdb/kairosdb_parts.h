// SPDX-License-Identifier: Apache-2.0
// What KairosDB's routes are answered from, and answers and errors in its shape.
#pragma once

#include <functional>
#include <string>

#include "api/shared/context.h"
#include "api/shared/deletes.h"
#include "api/shared/endpoint.h"
#include "api/shared/http.h"

namespace varve::api {

// Outlives the router, as everything that it refers to.
struct KairosdbParts {
  explicit KairosdbParts(const Context& context);

  write::Writer& writer;
  write::Writer* saver;  // of what queries save; nullptr: that is refused
  query::Engine& engine;
  storage::TextStore& texts;
  DeleteContext erasing;
  TaskPool& query_pool;
  std::function<std::string()> refusing;
  std::string version;  // the answer to it
  Endpoint queries, tag_queries, names, of_texts, erases;
};

// With the headers that KairosDB puts on every answer, also on one without a body.
Response kairosdb_response(int status, std::string body = {});
// Which KairosDB we answer as, in the form that its clients look for, and which varve we are.
std::string kairosdb_version(const std::string& own);
// {"errors":["…"]}
Response kairosdb_error(int status, std::string_view message, const Request& request);

}  // namespace varve::api
