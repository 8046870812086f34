// SPDX-License-Identifier: Apache-2.0
// What operators and scripts ask: is it alive, is it ready, how is it, settle now, and the clock is right.
#pragma once

#include <functional>
#include <string>

#include "api/shared/http.h"
#include "base/metrics.h"
#include "base/result.h"
#include "base/task_pool.h"
#include "http/gate.h"
#include "storage/sample_store.h"
#include "storage/slot_store.h"

namespace varve::api {

// GET /-/healthy 200, GET /-/ready 200 or 503 (gate shut), GET /metrics. For the router that always answers.
// `refusing`: what else there is to say to who asks whether it is ready, such as that writes are refused; may be empty.
void add_health(Router& router, const http::Gate& gate, const Metrics& metrics,
                std::function<std::string()> refusing = nullptr);

// POST /-/settle: runs store.settle() on the pool (one at a time; the others wait their turn behind it) and answers
// {"slots_sealed":…,"chunks_written":…,"samples":…,"messages":…,"bytes":…,"seconds":…}.
void add_settle(Router& router, storage::SampleStore& store, TaskPool& pool);

// POST /-/trust-clock: storage/slot_store.h.
void add_trust_clock(Router& router, storage::SlotStore& slots);

}  // namespace varve::api
