// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/log/mapped_file.h"

#include <gtest/gtest.h>

#include <fstream>

#include "engine/rocksdb/testing/directory.h"

namespace varve::engine::rocksdb {
namespace {

TEST(MappedFile, AnEmptyFileHasNoBytes) {
  const testing::TemporaryDirectory directory;
  const std::string path = directory.path() + "/empty";
  std::ofstream{path};
  EXPECT_TRUE((*MappedFile::open(path))->bytes().empty());
}

// A log whose size cannot be read must not be taken for one without records: its samples were acknowledged.
TEST(MappedFile, AFileThatCannotBeReadIsNotEmpty) {
  EXPECT_EQ(MappedFile::of_descriptor(-1, "wal/1.log").error().code, Code::io);
  const testing::TemporaryDirectory directory;
  EXPECT_EQ(MappedFile::open(directory.path()).error().code, Code::io) << "a directory";
  EXPECT_EQ(MappedFile::open(directory.path() + "/missing").error().code, Code::io);
}

}  // namespace
}  // namespace varve::engine::rocksdb
