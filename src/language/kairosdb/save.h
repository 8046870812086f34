// SPDX-License-Identifier: Apache-2.0
// What a query found, written as another metric: KairosDB's save_as.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/tags.h"
#include "model/time.h"
#include "query/answer.h"
#include "query/request.h"
#include "write/writer.h"

namespace varve::language::kairosdb {

// `given`, then saved_from=<from> unless `from` is empty, then of the keys that the query groups by those that have one
// value in the group. What comes later does not replace what stands there.
model::Tags saved_tags(const model::Tags& given, std::string_view from, const std::vector<std::string>& group_by,
                       const query::TagUnion& tags);

// Writes the points with a value and a time in `range` that is still kept; how many they were. Blocking: they are
// durable and visible when it returns. `ttl_s`: as in model::KeptGroup. Errors: those of the writer; invalid (a name or
// tag that is none).
Result<std::uint64_t> save_points(write::Writer& writer, std::string_view tenant, const std::string& metric,
                                  const model::Tags& tags, const aggregate::Points& points, model::TimeRange range = {},
                                  std::uint32_t ttl_s = 0);

// For query::Request::save: writes what a save_as is told. `writer` outlives the request.
decltype(query::Request::save) saver(write::Writer& writer, const std::string& tenant);

}  // namespace varve::language::kairosdb
