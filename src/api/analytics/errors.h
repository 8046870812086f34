// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

namespace varve::api {

// Contrail's: a malformed question is 400, one without meaning 404, a table that is not there 410, too many rows 403.
int analytics_status_of(Code code);

}  // namespace varve::api
