// SPDX-License-Identifier: Apache-2.0
// Which slot width were the runs written with? What knows it, FORMAT, may be damaged.
#pragma once

#include "base/result.h"
#include "engine/rocksdb/runs/run.h"

namespace varve::engine::rocksdb {

// Error: corrupt, with a slot that cannot be of this width.
Status slots_fit(const Runs& runs, std::int64_t chunk_width_ms);

}  // namespace varve::engine::rocksdb
