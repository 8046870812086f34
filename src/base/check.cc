// SPDX-License-Identifier: Apache-2.0
#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace varve {

void check_failed(const char* what, std::source_location where) {
  std::fprintf(stderr, "level=fatal msg=\"broken invariant: %s\" at=%s:%u\n", what, where.file_name(),
               static_cast<unsigned>(where.line()));
  std::abort();
}

}  // namespace varve
