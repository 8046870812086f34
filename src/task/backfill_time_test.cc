// SPDX-License-Identifier: Apache-2.0
#include "task/backfill_time.h"

#include <gtest/gtest.h>

namespace varve::task {
namespace {

TEST(BackfillTime, is_read_or_refused) {
  EXPECT_EQ(backfill_time("1970-01-01-00-00-00-000").value(), 0);
  EXPECT_EQ(backfill_time("2024-02-29-23-59-59-999").value(), 1'709'251'199'999);
  for (const char* bad : {"", "2023", "2023-13-01-00-00-00-000", "2023-02-29-00-00-00-000", "2023-01-01-24-00-00-000",
                          "2023-01-01-00-00-00-0000", "2023-01-01 00-00-00-000", "2023-01-01-00-00-00", "x"}) {
    EXPECT_FALSE(backfill_time(bad)) << bad;
  }
}

}  // namespace
}  // namespace varve::task
