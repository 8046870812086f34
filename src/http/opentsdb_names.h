// SPDX-License-Identifier: Apache-2.0
// OpenTSDB's small endpoints as functions from a question to the JSON of its answer: names, series, newest samples, and
// what this server can do.
#pragma once

#include <atomic>
#include <string>
#include <string_view>

#include "base/result.h"
#include "protocol/opentsdb/query_names.h"
#include "query/engine.h"

namespace varve::http {

// ["cpu.idle","cpu.user"]
Result<std::string> opentsdb_suggest(const storage::SeriesStore& store, std::string_view tenant,
                                     const protocol::opentsdb::Suggest& wanted);

// {"type":"LOOKUP","metric":"cpu",…,"results":[{"tsuid":…,"metric":"cpu","tags":{"host":"a"}}],"totalResults":1}
Result<std::string> opentsdb_lookup(const query::Engine& engine, std::string tenant,
                                    const protocol::opentsdb::Lookup& wanted, std::atomic<bool>* cancelled);

// [{"timestamp":1700000000000,"value":"1.5","tsuid":…}], with resolve also "metric" and "tags". What was read is added
// to `read`.
Result<std::string> opentsdb_last(const query::Engine& engine, const std::string& tenant,
                                  const protocol::opentsdb::LastQuery& wanted, std::atomic<bool>* cancelled,
                                  query::Read& read);

std::string opentsdb_aggregators();
std::string opentsdb_filters();
std::string opentsdb_version(std::string_view version);

}  // namespace varve::http
