// SPDX-License-Identifier: Apache-2.0
// VARVE_VERSION and VARVE_COMMIT are defined by CMakeLists.txt for this file alone, so a commit recompiles nothing
// else.
#include "server/build_info.h"

namespace varve::server {

std::string_view version() { return VARVE_VERSION; }

std::string_view commit() { return VARVE_COMMIT; }

std::string_view compiler() {
#ifdef __clang__
  return __VERSION__;
#else
  return "GCC " __VERSION__;
#endif
}

std::string version_line() {
  return "varve " + std::string(version()) + " (" + std::string(commit()) + ", " + std::string(compiler()) + ")";
}

}  // namespace varve::server
