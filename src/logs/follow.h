// SPDX-License-Identifier: Apache-2.0
// `varve logs -f`: new messages, from one connection after the other.
#pragma once

#include "base/result.h"
#include "logs/options.h"
#include "logs/output.h"

namespace varve::logs {

// Until the output wants no more. Where the first connection comes to nothing, that is an error; where a later one
// does, it says so on the standard error and tries again. `started`, errors: those of print_answer.
Status follow(const Options& options, Output& output, bool& started);

}  // namespace varve::logs
