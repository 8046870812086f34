// SPDX-License-Identifier: Apache-2.0
// KeptGroup: what a row says of its line group. A value without an address, so it may be kept for as long as one likes.
//
// A LineGroup (model/line_group.h) goes with the table of its sender, which goes when nothing has come from there for a
// while. So a pointer to one is for the request in which it was found; what outlives a request keeps the number. The
// numbers that a store has given are never given again while the process lives, and stay good when the series of the
// group are forgotten: they come back with the next row.
#pragma once

#include <cstdint>

#include "model/ids.h"

namespace varve::model {

struct KeptGroup {
  GroupId id = kNoGroup;
  std::uint16_t count = 0;  // number of series, and of values in a row
  std::uint8_t kept = 0;    // how long its samples are kept: RowBatch::kept_from(group)
  std::uint32_t ttl_s = 0;  // TTL of its samples; 0: none
};

}  // namespace varve::model
