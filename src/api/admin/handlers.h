// SPDX-License-Identifier: Apache-2.0
// What operators and scripts ask: is it alive, is it ready, how is it, settle now, the clock is right; how far time
// slots have settled, and who settles them. routes.cc has the tables of routes.
#pragma once

#include <functional>
#include <string>

#include "api/shared/context.h"
#include "api/shared/endpoint.h"
#include "api/shared/http.h"
#include "base/mutex.h"
#include "http/gate.h"

namespace varve::api {

// For the router that always answers.
struct HealthParts {
  const http::Gate& gate;
  const Metrics& metrics;
  std::function<std::string()> refusing;  // what else there is to say to who asks whether it is ready; may be empty
};

// operations.cc
void say_healthy(const HealthParts& parts, const Request& request, const Responder& answer);
void say_ready(const HealthParts& parts, const Request& request, const Responder& answer);  // 503: the gate is shut
void show_metrics(const HealthParts& parts, const Request& request, const Responder& answer);

// Outlives the router, as everything that it refers to.
struct AdminParts {
  explicit AdminParts(const Context& context);

  storage::SlotStore& slots;
  const storage::SeriesStore& series;
  storage::SampleStore& samples;
  tracker::Ownership& ownership;
  mutable Mutex one_settle;  // at a time; the others wait their turn behind it
  Endpoint lists, settles;
};

// operations.cc: {"slots_sealed":…,"chunks_written":…,"samples":…,"messages":…,"bytes":…,"seconds":…}
Result<Response> settle(const AdminParts& parts, const Request& request);
void trust_clock(const AdminParts& parts, const Request& request, const Responder& answer);

// slots.cc: the tenant's slots, the latest first, and what of it is set aside. Where there are many it takes a while.
Result<Response> list_slots(const AdminParts& parts, const Request& request);
// This replica's partitions, and every job with its holder. Asks the board, which may be another server.
Result<Response> list_jobs(const AdminParts& parts, const Request& request);

}  // namespace varve::api
