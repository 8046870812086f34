// SPDX-License-Identifier: Apache-2.0
// Which varve this is.
#pragma once

#include <string>
#include <string_view>

namespace varve::server {

std::string_view version();   // "0.1.0"
std::string_view commit();    // short hash, or "unknown" outside a clone
std::string_view compiler();  // "GCC 12.2.0"

// "varve 0.1.0 (abcdef0, GCC 12.2.0)"
std::string version_line();

}  // namespace varve::server
