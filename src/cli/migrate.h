// SPDX-License-Identifier: Apache-2.0
// `varve migrate kairosdb`: opens the engine like a server, copies, prints progress, and compares.
#pragma once

#include <vector>

#include "config/config.h"
#include "config/yaml.h"

namespace varve::cli {

// `own`: from, tenant, progress. Returns the exit status: 0 everything was copied, 1 something differs or failed, 2
// wrong arguments.
// Call it before any thread is started.
int migrate_kairosdb(const config::Config& config, const std::vector<config::Setting>& own);

}  // namespace varve::cli
