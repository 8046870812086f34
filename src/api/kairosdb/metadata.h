// SPDX-License-Identifier: Apache-2.0
// KairosDB's metadata service: texts that clients keep beside their metrics.
//   GET             /api/v1/metadata/{service}                        the service key of each text
//   GET             /api/v1/metadata/{service}/{service_key}?startsWith=
//   GET|POST|DELETE /api/v1/metadata/{service}/{service_key}/{key}    the text itself
#pragma once

#include "api/shared/http.h"
#include "base/task_pool.h"
#include "storage/text_store.h"

namespace varve::api {

// Services whose names begin with '_' are the server's own: 401. The store may block: all runs on the pool.
void add_kairosdb_metadata(Router& router, storage::TextStore& texts, TaskPool& pool);

}  // namespace varve::api
