// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/runs/database_reads.h"

#include <gtest/gtest.h>

namespace varve::engine::rocksdb {
namespace {

TEST(DatabaseReads, ErrorsSayWhetherItIsWorthAskingAgain) {
  EXPECT_TRUE(outcome(::rocksdb::Status::OK(), "reading"));
  const auto code_of = [](const ::rocksdb::Status& status) { return outcome(status, "reading").error().code; };
  EXPECT_EQ(code_of(::rocksdb::Status::Corruption("bad block")), Code::corrupt);
  EXPECT_EQ(code_of(::rocksdb::Status::NoSpace()), Code::unavailable);
  EXPECT_EQ(code_of(::rocksdb::Status::IOError("While open a file for random read: /d/1.sst", "Too many open files")),
            Code::unavailable);
  EXPECT_EQ(code_of(::rocksdb::Status::IOError("While pread /d/1.sst", "Input/output error")), Code::io);
  EXPECT_EQ(outcome(::rocksdb::Status::IOError("a", "b"), "reading").error().message, "reading: IO error: a: b");
}

}  // namespace
}  // namespace varve::engine::rocksdb
