// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/runs/message_frame.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "base/bytes.h"
#include "codec/crc32c.h"
#include "message/builder.h"

namespace varve::engine::rocksdb {
namespace {

class MessageFrameTest : public ::testing::Test {
 protected:
  MessageFrameTest() {
    message::Builder builder(batch_);
    for (int i = 0; i < 3; ++i) {
      builder.start();
      EXPECT_TRUE(builder.set(message::Column::source, "host"));
      builder.set(message::Column::level, i);
      builder.finish(100 + i);
    }
    for (const std::byte* at = batch_.bytes().data(); rows_.size() < 3; at += rows_.back().bytes())
      rows_.push_back({at});
    std::string raw = "of the frame before";
    frame_ = encode_frame(rows_, raw).value();
  }
  message::Batch batch_;
  std::vector<message::RowView> rows_;
  std::string frame_;
};

TEST_F(MessageFrameTest, RowsComeBackAsTheyWere) {
  const auto times = times_of(frame_);
  ASSERT_TRUE(times);
  EXPECT_EQ(times->first_us, 100);
  EXPECT_EQ(times->last_us, 102);
  std::string out = "what was there";
  ASSERT_TRUE(decode_frame(frame_, out));
  EXPECT_TRUE(std::ranges::equal(std::as_bytes(std::span(out)), batch_.bytes()));
}

TEST_F(MessageFrameTest, DamageIsSeen) {
  std::string out;
  for (std::size_t at = 0; at < frame_.size(); ++at) {
    std::string changed = frame_;
    changed[at] = static_cast<char>(changed[at] ^ 0x10);
    EXPECT_EQ(decode_frame(changed, out).error().code, Code::corrupt) << at;
    EXPECT_FALSE(times_of(changed)) << at;
  }
  for (std::size_t size = 0; size < frame_.size(); ++size) {
    EXPECT_FALSE(decode_frame(std::string_view(frame_).substr(0, size), out)) << size;
  }
  EXPECT_TRUE(out.empty());
}

std::string unhexed(std::string_view hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  return bytes;
}

// Bytes of each version, written once: they must be read for ever.
TEST_F(MessageFrameTest, Golden) {
  for (const std::string_view hex :
       {"12e0aafd0100000003000000600000006400000000000000660000000000000028b52ffd00481d0100a82000000002000000"
        "640004686f737407006502660405004009200e283614b13b8004",
        "398159d102000000030000006000000064000000000000006600000000000000ab2000000002000000640001007404686f73"
        "74070020001b651f00032000140220001e662000506f73740704"}) {
    std::string out;
    ASSERT_TRUE(decode_frame(unhexed(hex), out));
    EXPECT_TRUE(std::ranges::equal(std::as_bytes(std::span(out)), batch_.bytes()));
  }
}

// Its checksum is right, but no frame is so large: nothing is made room for.
TEST_F(MessageFrameTest, SizesThatNoFrameHasAreRefused) {
  std::string out;
  for (const std::uint32_t bytes : {0U, 95U, 97U, ~0U}) {
    std::string changed = frame_;
    store_le(changed.data() + 12, bytes);
    store_le(changed.data(), codec::crc32c(std::as_bytes(std::span(changed)).subspan(4)));
    EXPECT_FALSE(decode_frame(changed, out)) << bytes;
    EXPECT_TRUE(out.empty());
  }
}

TEST_F(MessageFrameTest, LaterVersionsAreRefused) {
  std::string out;
  frame_[4] = 3;
  store_le(frame_.data(), codec::crc32c(std::as_bytes(std::span(frame_)).subspan(4)));
  EXPECT_EQ(decode_frame(frame_, out).error().code, Code::corrupt);
}

}  // namespace
}  // namespace varve::engine::rocksdb
