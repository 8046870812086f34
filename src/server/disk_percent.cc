// SPDX-License-Identifier: Apache-2.0
#include "server/disk_percent.h"

#include <sys/statvfs.h>

namespace varve::server {

double disk_percent_of(const std::string& path) {
  struct statvfs about{};
  if (::statvfs(path.c_str(), &about) != 0) return 0;
  const auto used = static_cast<double>(about.f_blocks - about.f_bfree);
  const double all = used + static_cast<double>(about.f_bavail);
  return all == 0 ? 0 : 100.0 * used / all;
}

}  // namespace varve::server
