// SPDX-License-Identifier: Apache-2.0
// `varve serve`: a Server, the signals that steer it, and what becomes of the process.
#pragma once

#include "config/load.h"

namespace varve::server {

// Runs until SIGTERM or SIGINT; SIGHUP reads the sources again. Answers the process's exit status: 0 after a clean
// stop, 1 after a failure. `loaded` has no faults. Call it before any thread is started.
int serve(const config::Sources& sources, const config::Loaded& loaded);

}  // namespace varve::server
