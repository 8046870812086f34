// SPDX-License-Identifier: Apache-2.0
// The catalog's windows of time: in which of them a metric, or each of its series, has samples. docs/http/api.md.
//   [?width=1d]      of a window: whole hours, days or weeks
//   [?start=&end=]   milliseconds since 1970, both inclusive: windows that touch this, the whole of each
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "api/shared/http.h"
#include "base/result.h"
#include "model/time.h"
#include "protocol/json/writer.h"
#include "query/presence.h"

namespace varve::api {

inline constexpr std::size_t kWindowsListed = 100'000;  // of the series of one answer

// Milliseconds; a day, unless the request says else. Error: invalid.
Result<std::int64_t> width_of(const Request& request);

query::PresenceQuery presence_of(const Request& request, std::string_view metric, model::TimeRange range,
                                 std::int64_t width_ms);

// The member "windows":[…] of one series.
void append_windows(protocol::json::Writer& json, std::span<const query::SeriesWindow> windows);

// The answer to GET /api/v1/catalog/windows, part of `under_way`. Blocks as a query does. Errors: invalid, and those of
// a query.
Result<Response> catalog_windows(const query::Engine& engine, const Request& request, query::UnderWay& under_way);

}  // namespace varve::api
