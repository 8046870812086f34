// SPDX-License-Identifier: Apache-2.0
// Since when there are messages.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "api/analytics/answering.h"

namespace varve::api {

// The time of a tenant's oldest message, if there is one. `check`: may it go on?
Result<std::optional<std::int64_t>> oldest_message(const MessageSource& source, const std::string& tenant,
                                                   std::function<Status()> check);

}  // namespace varve::api
