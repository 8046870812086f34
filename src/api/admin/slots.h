// SPDX-License-Identifier: Apache-2.0
// How far time slots have settled, and who settles them.
//   GET /api/v1/admin/slots?limit=100   the tenant's slots, the latest first, and what of it is set aside
//   GET /api/v1/admin/jobs              this replica's partitions, and every job with its holder
#pragma once

#include "api/shared/http.h"
#include "base/task_pool.h"
#include "storage/series_store.h"
#include "storage/slot_store.h"
#include "tracker/ownership.h"

namespace varve::api {

// Listing slots takes a while where there are many: it runs on the pool.
void add_admin_slots(Router& router, const storage::SlotStore& slots, const storage::SeriesStore& series,
                     TaskPool& pool);
// Asks the board, which may be another server: on the pool, too.
void add_admin_jobs(Router& router, tracker::Ownership& ownership, TaskPool& pool);

}  // namespace varve::api
