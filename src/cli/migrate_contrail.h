// SPDX-License-Identifier: Apache-2.0
// `varve migrate contrail`: opens the engine like a server, copies messages, prints progress, and counts.
#pragma once

#include <vector>

#include "config/config.h"
#include "config/yaml.h"

namespace varve::cli {

// As migrate_kairosdb().
int migrate_contrail(const config::Config& config, const std::vector<config::Setting>& own);

}  // namespace varve::cli
