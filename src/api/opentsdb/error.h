// SPDX-License-Identifier: Apache-2.0
// Errors in the shape that clients of OpenTSDB know.
#pragma once

#include <string_view>

#include "api/shared/http.h"

namespace varve::api {

// {"error":{"code":400,"message":"m"}}
Response opentsdb_error(int status, std::string_view message, const Request& request);

}  // namespace varve::api
