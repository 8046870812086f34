// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/runs/checkpoint.h"

#include <gtest/gtest.h>

namespace varve::engine::rocksdb {
namespace {

TEST(CheckpointRecord, is_read_as_it_was_written) {
  const StoredCheckpoint stored{{1, 2, 3, 0, RecordCounts{5, 6}}, 4};
  const std::string record = encode_checkpoint(stored);
  EXPECT_EQ(record.size(), 48U);
  const auto read = decode_checkpoint(record);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->checkpoint.next_run, 1U);
  EXPECT_EQ(read->checkpoint.first_segment, 2U);
  EXPECT_EQ(read->checkpoint.sequence, 3U);
  EXPECT_EQ(read->commit, 4U);
  EXPECT_EQ(read->checkpoint.records, (RecordCounts{5, 6}));
}

TEST(CheckpointRecord, of_older_versions_ends_before_what_they_did_not_know) {
  const std::string record = encode_checkpoint({{1, 2, 3, 0, RecordCounts{5, 6}}, 4});
  for (const std::size_t bytes : {24U, 32U}) {
    const auto read = decode_checkpoint(std::string_view(record).substr(0, bytes));
    ASSERT_TRUE(read) << bytes;
    EXPECT_EQ(read->checkpoint.sequence, 3U);
    EXPECT_EQ(read->commit, bytes == 24 ? 0U : 4U);
    EXPECT_FALSE(read->checkpoint.records);
  }
  EXPECT_EQ(encode_checkpoint({{1, 2, 3, 0, std::nullopt}, 4}), record.substr(0, 32));
}

TEST(CheckpointRecord, of_any_other_size_is_damaged) {
  const std::string record = encode_checkpoint({{1, 2, 3, 0, RecordCounts{5, 6}}, 4}) + std::string(8, '\0');
  for (std::size_t bytes = 0; bytes <= record.size(); ++bytes) {
    const bool known = bytes == 24 || bytes == 32 || bytes == 48;
    EXPECT_EQ(bool(decode_checkpoint(std::string_view(record).substr(0, bytes))), known) << bytes;
  }
}

}  // namespace
}  // namespace varve::engine::rocksdb
