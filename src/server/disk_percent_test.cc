// SPDX-License-Identifier: Apache-2.0
#include "server/disk_percent.h"

#include <gtest/gtest.h>

namespace varve::server {
namespace {

TEST(DiskPercent, IsAShareOfTheFileSystem) {
  const double percent = disk_percent_of("/");
  EXPECT_GE(percent, 0);
  EXPECT_LE(percent, 100);
  EXPECT_EQ(disk_percent_of("/proc"), 0);  // has no blocks
  EXPECT_EQ(disk_percent_of("/no/such/path"), 0);
}

}  // namespace
}  // namespace varve::server
