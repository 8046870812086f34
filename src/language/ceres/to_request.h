// SPDX-License-Identifier: Apache-2.0
// A query of Ceres → the engine's request: each series by itself.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "index/matcher.h"
#include "protocol/ceres/query.h"
#include "query/request.h"

namespace varve::language::ceres {

// Of the tags and the metric group.
index::Matchers matchers_of(const protocol::ceres::Query& query);

// `metrics`: the one that is named, or those of the group. `width_ms` of the windows; 0: the samples as they are. A
// window belongs to the answer if it begins in the range, and then all of it does: so the first and the last are never
// parts.
query::Request to_request(const protocol::ceres::Query& query, const std::string& tenant,
                          const std::vector<std::string>& metrics, std::int64_t width_ms);

}  // namespace varve::language::ceres
