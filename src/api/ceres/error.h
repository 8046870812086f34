// SPDX-License-Identifier: Apache-2.0
// Errors in the shape that clients of Ceres know, without the class of an exception in them.
#pragma once

#include <string_view>

#include "api/shared/http.h"
#include "base/result.h"

namespace varve::api {

// {"timestamp":"2021-03-12T11:25:49.123+00:00","path":"/api/query","status":400,"error":"Bad Request",
//  "message":"…","requestId":"1f2e3d4c-7"}; the id is another one in each answer.
Response ceres_error(int status, std::string_view message, const Request& request);

}  // namespace varve::api
