// SPDX-License-Identifier: Apache-2.0
// From OpenTSDB's words to the engine's: filters to matchers, downsampling to a stage of each series, aggregators to a
// join.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "protocol/opentsdb/query.h"
#include "query/request.h"
#include "storage/series_store.h"

namespace varve::http {

// Errors: invalid (no such aggregator). `store` is asked for the keys of metrics with explicit_tags.
Result<query::Request> opentsdb_request(const protocol::opentsdb::Query& query, std::string tenant,
                                        const storage::SeriesStore& store);

// All filters must hold. A series that lacks the tag fits not_key only. Error: invalid (no expression).
Result<index::Matchers> opentsdb_matchers(const std::vector<protocol::opentsdb::Filter>& filters);

}  // namespace varve::http
