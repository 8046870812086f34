// SPDX-License-Identifier: Apache-2.0
// The answer that a kept result is, read part by part while it is sent.
#pragma once

#include <memory>

#include "api/shared/http.h"
#include "base/memory_ledger.h"
#include "language/analytics/kept_results.h"

namespace varve::api {

// Where a part is missing, behind the first one, the connection ends before the answer.
Result<Response> result_answer(const std::shared_ptr<MemoryLedger>& ledger,
                               const std::shared_ptr<language::analytics::KeptResults>& results,
                               const language::analytics::QueryName& name, std::uint32_t parts);

}  // namespace varve::api
