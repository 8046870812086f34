// SPDX-License-Identifier: Apache-2.0
// How full a file system is.
#pragma once

#include <string>

namespace varve::server {

// In percent of what processes without privileges may use, as df shows it; 0 where the system does not say.
double disk_percent_of(const std::string& path);

}  // namespace varve::server
