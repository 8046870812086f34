// SPDX-License-Identifier: Apache-2.0
// Errors in the shapes that clients of InfluxDB know.
#pragma once

#include <string_view>

#include "api/shared/http.h"

namespace varve::api {

// Version 1: {"error":"m"}
Response influx1_error(int status, std::string_view message, const Request& request);
// Version 2: {"code":"invalid","message":"m"}
Response influx2_error(int status, std::string_view message, const Request& request);

}  // namespace varve::api
