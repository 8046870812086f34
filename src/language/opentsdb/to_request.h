// SPDX-License-Identifier: Apache-2.0
// From OpenTSDB's words to the engine's: filters to matchers, downsampling to a stage of each series, aggregators to a
// join.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "protocol/opentsdb/query.h"
#include "protocol/opentsdb/query_names.h"
#include "query/expression.h"
#include "query/request.h"
#include "storage/series_store.h"

namespace varve::language::opentsdb {

// Errors: invalid (no such aggregator). `store` is asked for the keys of metrics with explicit_tags.
Result<query::Request> to_request(const protocol::opentsdb::Query& query, std::string tenant,
                                  const storage::SeriesStore& store);

// The newest sample of each series; the range is the caller's to set. Error: invalid (no expression).
Result<query::Request> to_request(const protocol::opentsdb::LastQuery::Series& series, const std::string& tenant,
                                  query::Expressions& expressions);

// All filters must hold. A series that lacks the tag fits not_key only. Error: invalid (no expression).
Result<index::Matchers> to_matchers(const std::vector<protocol::opentsdb::Filter>& filters,
                                    query::Expressions& expressions);

}  // namespace varve::language::opentsdb
