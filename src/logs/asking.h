// SPDX-License-Identifier: Apache-2.0
// One question to a server, and its rows.
#pragma once

#include "base/result.h"
#include "logs/options.h"
#include "logs/output.h"

namespace varve::logs {

// Asks what the options say and gives the rows to the output, as long as it wants more. `started` becomes true once an
// answer without an error comes. Errors: unavailable (no connection, or later there may be an answer), timeout, io,
// invalid.
// A condition on a field that nobody has sent is answered by nothing: a line on stderr says so.
Status print_answer(const Options& options, Output& output, bool& started);

}  // namespace varve::logs
