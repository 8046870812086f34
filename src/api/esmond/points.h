// SPDX-License-Identifier: Apache-2.0
// The points of a POST: [{"ts":1343956814000,"val":281577000},…]. Pure.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/time.h"
#include "model/value.h"

namespace varve::api::esmond {

struct PostedPoint {
  model::Timestamp at = 0;
  model::Value value;  // a whole number from 0 to 2^64 - 1, as its bits; any other as a double
};

// `ts` in milliseconds, cut to whole ones; both may be texts of numbers. Error: invalid, if any element is wrong.
Result<std::vector<PostedPoint>> read_points(std::string_view body);

}  // namespace varve::api::esmond
