// SPDX-License-Identifier: Apache-2.0
// Too old: the error for a sample older than everything that is kept. RowBatch::kept_from() says where that begins;
// parsers compare with it and refuse such a sample by name, because nobody could ever read it.
#pragma once

#include <string_view>

#include "base/result.h"
#include "model/time.h"

namespace varve::model {

// `name`: of the series or line, for a person; long ones are cut. `unit`: what this protocol takes timestamps to be,
// which the message asks about where a time is so early that the sender probably means another.
Error too_old(std::string_view name, Timestamp time, Timestamp kept_from, std::string_view unit);

}  // namespace varve::model
