// SPDX-License-Identifier: Apache-2.0
// All routes of Ceres. One of its paths is OpenTSDB's, too, whose routes have to be there already.
#pragma once

#include "api/shared/context.h"
#include "api/shared/http.h"

namespace varve::api {

void add_ceres_routes(Router& router, const Context& context);

}  // namespace varve::api
