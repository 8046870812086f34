// SPDX-License-Identifier: Apache-2.0
// The few InfluxQL statements that clients send before they write. There are no databases here: creating one succeeds,
// because every name may be written to; the one that is shown is the tenant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace varve::api {

// Statements of `q`, split at semicolons outside of quotes, trimmed, none empty.
std::vector<std::string> split_statements(std::string_view q);

// {"results":[{"statement_id":0,…},…]}; a statement that is not known is an error in its place.
std::string influx_results(const std::vector<std::string>& statements, std::string_view tenant);

}  // namespace varve::api
