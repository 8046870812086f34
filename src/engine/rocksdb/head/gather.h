// SPDX-License-Identifier: Apache-2.0
// Gather stands in engine/shared; coarse.cc finds it here.
#pragma once

#include "engine/shared/gather.h"

namespace varve::engine::rocksdb {

using shared::Gather;

}  // namespace varve::engine::rocksdb
