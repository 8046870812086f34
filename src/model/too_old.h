// SPDX-License-Identifier: Apache-2.0
// Too old: the error for a sample older than every retention. Parsers compare with RowBatch::kept_from() and refuse
// such a sample by name, because nobody could ever read it.
#pragma once

#include <string_view>

#include "base/result.h"
#include "model/time.h"

namespace varve::model {

// `name`: of the series or line, for the message; truncated if long. `unit`: the protocol's unit of timestamps, which
// the message mentions if the time is so early that the sender probably uses another unit.
Error too_old(std::string_view name, Timestamp time, Timestamp kept_from, std::string_view unit);

}  // namespace varve::model
