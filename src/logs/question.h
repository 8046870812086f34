// SPDX-License-Identifier: Apache-2.0
// The query that the flags ask for.
#pragma once

#include <string>

#include "logs/options.h"

namespace varve::logs {

// JSON of POST /analytics/query. `follow`: the answer stays open.
std::string question_of(const Options& options);

}  // namespace varve::logs
