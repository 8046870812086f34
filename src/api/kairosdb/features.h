// SPDX-License-Identifier: Apache-2.0
// KairosDB's description of its query language, which query builders read.
//   GET /api/v1/features                               both groups
//   GET /api/v1/features/aggregators, …/group_by       one of them
#pragma once

#include "api/shared/http.h"

namespace varve::api {

void add_kairosdb_features(Router& router);

}  // namespace varve::api
