// SPDX-License-Identifier: Apache-2.0
// How long windows are stored is said in engine/shared; coarse.cc finds it here.
#pragma once

#include "engine/shared/stored_for.h"

namespace varve::engine::rocksdb {

using shared::is_over;
using shared::stored_for_ms;

}  // namespace varve::engine::rocksdb
