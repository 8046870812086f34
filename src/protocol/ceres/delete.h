// SPDX-License-Identifier: Apache-2.0
// Ceres' DELETE /api/metric…: parameters of a URL → Delete. Strict like a query, and more so: a parameter that is not
// understood must not widen what is deleted.
#pragma once

#include <span>
#include <string_view>

#include "base/result.h"
#include "model/time.h"
#include "protocol/ceres/parameters.h"
#include "protocol/ceres/query.h"

namespace varve::protocol::ceres {

struct Delete {
  TagPairs tags;           // all must hold
  model::TimeRange range;  // without start and end: all time, the future too; may be empty
};

// `takes_tags`: is `tag` known here? `tenant` as in check_parameters. Error: invalid, naming the parameter.
Result<Delete> parse_delete(std::span<const Parameter> parameters, bool takes_tags, std::string_view tenant,
                            model::Timestamp now);

}  // namespace varve::protocol::ceres
