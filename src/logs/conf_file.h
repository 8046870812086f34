// SPDX-License-Identifier: Apache-2.0
// Flags from a file, as contrail-logs has them: `analytics_api_ip = 10.0.0.1` a line; [sections] and comments (# ;) say
// nothing.
#pragma once

#include <map>
#include <string>

#include "base/result.h"

namespace varve::logs {

// Names with hyphens. Errors: io, invalid.
Result<std::map<std::string, std::string>> read_conf_file(const std::string& path);

}  // namespace varve::logs
