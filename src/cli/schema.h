// SPDX-License-Identifier: Apache-2.0
// `varve schema`: the tables of the cluster engine for this configuration, on standard output or in Cassandra.
#pragma once

#include "config/config.h"

namespace varve::cli {

// Both return the exit status; errors are one line on stderr.
int print_schema(const config::Config& config);
int apply_schema(const config::Config& config);

}  // namespace varve::cli
