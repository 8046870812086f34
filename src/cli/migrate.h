// SPDX-License-Identifier: Apache-2.0
// `varve migrate kairosdb`: opens the engine as a server would, copies, shows how far it is, and compares.
#pragma once

#include <vector>

#include "config/config.h"
#include "config/yaml.h"

namespace varve::cli {

// `own`: from, tenant, progress. Answers the exit status: 0 all is there, 1 it is not, or failed, 2 wrong arguments.
// Call it before any thread is started.
int migrate_kairosdb(const config::Config& config, const std::vector<config::Setting>& own);

}  // namespace varve::cli
