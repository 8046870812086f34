// SPDX-License-Identifier: Apache-2.0
// Aggregations across series, step by step.
#pragma once

#include <cstdint>
#include <vector>

#include "language/logql/metric.h"

namespace varve::language::logql {

// One series for each group; of all operators but topk.
Result<std::vector<Series>> aggregate(const std::vector<Series>& series, AggregateOp op, const Grouping& grouping,
                                      const Steps& steps, const Source& source);

// At each step the k largest of each group; of equal ones the first by labels. Series come sorted by labels.
Result<std::vector<Series>> largest(std::vector<Series> series, std::uint64_t k, const Grouping& grouping,
                                    const Source& source);

}  // namespace varve::language::logql
