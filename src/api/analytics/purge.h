// SPDX-License-Identifier: Apache-2.0
// POST /analytics/operation/database-purge: {"purge_input":…} → {"status":"started","purge_id":…}; what is older goes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "api/shared/http.h"
#include "base/result.h"
#include "base/task_pool.h"
#include "language/analytics/answering.h"
#include "storage/slot_store.h"

namespace varve::api {

// What a body asks to be deleted: so many percent of the time from the oldest message to now, or what is older than a
// time in µs; the other one is 0.
struct PurgeInput {
  int percent = 0;
  std::int64_t before_us = 0;
};
// Error: invalid.
Result<PurgeInput> read_purge(std::string_view body, std::int64_t now_us);

// All of it outlives the router's server.
struct PurgeContext {
  language::analytics::MessageSource source;
  storage::MessageStore& store;  // that of the source
  const storage::SlotStore& slots;
  TaskPool& slow_pool;
};

// Purges under way: one of each tenant. It is one of the running queries, and ends when it is killed.
class Purging {
 public:
  class Purges;
  explicit Purging(PurgeContext context);
  // Starts one, or says which one is under way.
  Result<Response> answer(const Request& request) const;

 private:
  Status start(const Request& request, const PurgeInput& input, std::int64_t now_us, const std::string& id) const;

  const PurgeContext context_;
  const std::shared_ptr<Purges> purges_;
};

}  // namespace varve::api
