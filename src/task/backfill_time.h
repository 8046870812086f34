// SPDX-License-Identifier: Apache-2.0
// How KairosDB's backfills name times.
#pragma once

#include <string_view>

#include "base/result.h"
#include "model/time.h"

namespace varve::task {

// yyyy-MM-dd-HH-mm-ss-SSS, in UTC. Errors: invalid.
Result<model::Timestamp> backfill_time(std::string_view text);

}  // namespace varve::task
