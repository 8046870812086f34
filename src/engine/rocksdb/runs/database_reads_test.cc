// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/runs/database_reads.h"

#include <gtest/gtest.h>

namespace varve::engine::rocksdb {
namespace {

using ::rocksdb::Status;

TEST(DatabaseReads, ErrorsSayWhetherItIsWorthAskingAgain) {
  EXPECT_TRUE(outcome(Status::OK(), "reading"));
  const auto code_of = [](const Status& status) { return outcome(status, "reading").error().code; };
  EXPECT_EQ(code_of(Status::Corruption("bad block")), Code::corrupt);
  EXPECT_EQ(code_of(Status::NoSpace()), Code::unavailable);
  EXPECT_EQ(code_of(Status::IOError("While open a file for random read: /d/1.sst", "Too many open files")),
            Code::unavailable);
  EXPECT_EQ(code_of(Status::IOError("While pread /d/1.sst", "Input/output error")), Code::io);
  EXPECT_EQ(outcome(Status::IOError("a", "b"), "reading").error().message, "reading: IO error: a: b");
}

}  // namespace
}  // namespace varve::engine::rocksdb
