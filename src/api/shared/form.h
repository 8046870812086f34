// SPDX-License-Identifier: Apache-2.0
// Parameters that a POST has in its body, as a form.
#pragma once

#include "api/shared/http.h"
#include "base/result.h"
#include "http/url.h"

namespace varve::api {

// None without a body. Error: invalid.
Result<http::Parameters> form_of(const Request& request);

}  // namespace varve::api
