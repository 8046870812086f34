// SPDX-License-Identifier: Apache-2.0
// Missing windows: a mark says that windows were made of a slot. If those are gone although their time is not over (a
// longer retention was configured since; older versions dropped those of granularities that were not configured for a
// while), the samples stand for them until they are made again.
#pragma once

#include "engine/rocksdb/env/env.h"
#include "engine/rocksdb/runs/run.h"

namespace varve::engine::rocksdb {

// Takes such granularities out of the marks of slots that hold samples. To be called at start.
void unmark_missing_windows(const Env& env, Runs& runs);

}  // namespace varve::engine::rocksdb
