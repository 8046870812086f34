// SPDX-License-Identifier: Apache-2.0
// The files that a configuration names: certificates, credentials, keys and passwords.
#pragma once

#include <string>
#include <vector>

#include "config/config.h"

namespace varve::server {

// A line for each that cannot be used: it cannot be read, others can read it, or what stands in it is wrong. No secret
// is told. They are read again at the start, and may have changed by then.
std::vector<std::string> file_faults(const config::Config& config);

}  // namespace varve::server
