// SPDX-License-Identifier: Apache-2.0
// OpenTSDB's small endpoints as functions from a question to the JSON of its answer: names, series, newest samples, and
// what this server can do. Those that look at what is stored are part of `query`.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "protocol/opentsdb/query_names.h"
#include "query/engine.h"
#include "query/under_way.h"

namespace varve::api {

// ["cpu.idle","cpu.user"]
Result<std::string> opentsdb_suggest(const storage::SeriesStore& store, std::string_view tenant,
                                     const protocol::opentsdb::Suggest& wanted, query::UnderWay& query);

// {"type":"LOOKUP","metric":"cpu",…,"results":[{"tsuid":…,"metric":"cpu","tags":{"host":"a"}}],"totalResults":1}
Result<std::string> opentsdb_lookup(const query::Engine& engine, std::string tenant,
                                    const protocol::opentsdb::Lookup& wanted, query::UnderWay& query);

// [{"timestamp":1700000000000,"value":"1.5","tsuid":…}], with resolve also "metric" and "tags".
Result<std::string> opentsdb_last(const query::Engine& engine, const std::string& tenant,
                                  const protocol::opentsdb::LastQuery& wanted, query::UnderWay& query);

std::string opentsdb_aggregators();
std::string opentsdb_filters();
std::string opentsdb_version(std::string_view version);

}  // namespace varve::api
