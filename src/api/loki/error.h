// SPDX-License-Identifier: Apache-2.0
// Errors of Loki's API: plain text.
#pragma once

#include <string_view>

#include "api/shared/http.h"

namespace varve::api {

Response loki_error(int status, std::string_view message, const Request& request);

}  // namespace varve::api
