// SPDX-License-Identifier: Apache-2.0
// The bytes in cells of messages.
#include <gtest/gtest.h>

#include <random>
#include <tuple>

#include "codec/crc32c.h"
#include "engine/cassandra/messages/blob_bytes.h"
#include "engine/cassandra/messages/erase_mark.h"
#include "engine/cassandra/messages/hot_blobs.h"
#include "engine/cassandra/messages/sealed_messages.h"
#include "storage/testing/message_fixture.h"

namespace varve::engine::cassandra {
namespace {

std::string packed_rows(const std::vector<std::string>& texts, HotHead& head) {
  message::Batch batch;
  std::int64_t time = 1000;
  for (const std::string& text : texts) storage::testing::add_message(batch, {time++, text});
  head = {static_cast<std::uint32_t>(texts.size()), static_cast<std::uint32_t>(batch.bytes().size()), 1000, time - 1};
  return blob_text(batch.bytes());
}

SealedMessages some_sealed() {
  SealedMessages sealed{7, 8, 9, {{10, -1}, {10, 2}}, {}, {}, {}};
  sealed.blocks = {{{3, 0}, 5, 65'536, -100, 7}, {{3, 1}, 2, 1, 8, 8}};
  sealed.replaced = {{{1, 4}, 77}};
  return sealed;
}

TEST(HotBlobs, ComeBack) {
  HotHead head;
  std::mt19937_64 random(3);
  std::string noise(2000, ' ');
  for (char& c : noise) c = static_cast<char>(random());
  for (const std::string& rows :
       {packed_rows({"a", "", noise}, head), packed_rows(std::vector<std::string>(1000, "the same again"), head)}) {
    const std::string value = encode_hot_messages(rows);
    const std::size_t count = rows.size() > 10'000 ? 1000 : 3;
    EXPECT_EQ(value.size() < rows.size(), count == 1000) << "compressed where that pays";
    HotHead of{static_cast<std::uint32_t>(count), static_cast<std::uint32_t>(rows.size()), 0, 0};
    std::string out;
    ASSERT_TRUE(decode_hot_messages(value, of, out));
    EXPECT_EQ(out, rows);
    ++of.messages;
    EXPECT_FALSE(decode_hot_messages(value, of, out));
    --of.messages;
    --of.bytes;
    EXPECT_FALSE(decode_hot_messages(value, of, out)) << "no more than was said";
  }
  const auto again = decode_hot_head(encode_hot_head({1, 2, -3, 4}));
  ASSERT_TRUE(again);
  EXPECT_EQ(std::tuple(again->messages, again->bytes, again->first_us, again->last_us), std::tuple(1U, 2U, -3, 4));
}

TEST(HotBlobs, EveryDamageIsSeen) {
  HotHead head;
  const std::string value = encode_hot_messages(packed_rows({"one", "two", std::string(500, 'x')}, head));
  std::string out;
  for (std::size_t i = 0; i < value.size(); ++i) {
    std::string damaged = value;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    EXPECT_FALSE(decode_hot_messages(damaged, head, out)) << i;
    EXPECT_FALSE(decode_hot_messages(value.substr(0, i), head, out)) << i;
  }
  const std::string good = encode_hot_head(head);
  for (std::size_t i = 0; i < good.size(); ++i) EXPECT_FALSE(decode_hot_head(good.substr(0, i)));
  EXPECT_FALSE(decode_hot_head(good + "x"));
  EXPECT_EQ(decode_hot_head("\2" + good.substr(1)).error().code, Code::unsupported);
}

TEST(SealedMessages, ComeBackAndEveryDamageIsSeen) {
  const SealedMessages sealed = some_sealed();
  const std::string blob = encode_sealed_messages(sealed);
  const auto again = decode_sealed_messages(blob);
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, sealed);
  EXPECT_EQ(*decode_sealed_messages(encode_sealed_messages({})), SealedMessages{});
  for (std::size_t i = 0; i < blob.size(); ++i) {
    std::string damaged = blob;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    EXPECT_FALSE(decode_sealed_messages(damaged)) << i;
    EXPECT_FALSE(decode_sealed_messages(blob.substr(0, i))) << i;
  }
}

// As docs/formats/cluster.md says it.
TEST(SealedMessages, StandAsTheFormatSays) {
  const std::string blob = encode_sealed_messages(some_sealed());
  EXPECT_EQ(blob.size(), 4 + 1 + 24 + (4 + 2 * 16) + (4 + 2 * 36) + (4 + 20));
  EXPECT_EQ(blob[4], 1);
  EXPECT_EQ(load_le<std::int64_t>(blob.data() + 5), 7);
  EXPECT_EQ(load_le<std::int64_t>(blob.data() + 21), 9);
  EXPECT_EQ(load_le<std::uint32_t>(blob.data() + 29), 2U);
  EXPECT_EQ(load_le<std::int64_t>(blob.data() + 41), -1);
}

TEST(SealedMessages, CoversWhatIsBeforeAndWhatIsNamed) {
  const SealedMessages sealed = some_sealed();
  EXPECT_TRUE(sealed.covers({8, 5}));
  EXPECT_FALSE(sealed.covers({9, 5}));
  EXPECT_TRUE(sealed.covers({10, -1}));
  EXPECT_FALSE(sealed.covers({10, 1}));
}

TEST(SealedMessages, SaysWhichMarksAreApplied) {
  SealedMessages sealed = some_sealed();
  EXPECT_EQ(encode_sealed_messages(sealed)[4], 1) << "earlier releases read it";
  sealed.applied = {5, 99};
  const std::string blob = encode_sealed_messages(sealed);
  EXPECT_EQ(blob[4], 2);
  EXPECT_EQ(*decode_sealed_messages(blob), sealed);
  for (std::size_t cut = 0; cut < blob.size(); ++cut) EXPECT_FALSE(decode_sealed_messages(blob.substr(0, cut)));
}

EraseMark some_mark() {
  using message::Column;
  using message::Condition;
  using message::Op;
  EraseMark mark{0, -5, 7, {}, {}};
  mark.see(std::uint64_t{9} << 11 | 3);
  mark.see(std::uint64_t{8} << 11 | 3);
  mark.see(std::uint64_t{1} << 11 | 2047);
  mark.condition.parts.push_back(Condition::of(*message::make_term(Column::text, {}, Op::regex, "a+b")));
  Condition none{Condition::Kind::none, {}, {}};
  none.parts.push_back(Condition::of(*message::make_range(Column::field, "f", Op::in_range, -1, 3)));
  mark.condition.parts.push_back(none);
  return mark;
}

TEST(EraseMark, ComesBack) {
  const std::string blob = encode_erase_mark(some_mark());
  const auto mark = decode_erase_mark(blob);
  ASSERT_TRUE(mark) << mark.error().message;
  EXPECT_EQ(encode_erase_mark(*mark), blob);
  EXPECT_EQ(mark->seen, some_mark().seen);
  EXPECT_TRUE(mark->has_seen(std::uint64_t{9} << 11 | 3));
  EXPECT_FALSE(mark->has_seen(std::uint64_t{10} << 11 | 3)) << "it came later";
  EXPECT_FALSE(mark->has_seen(std::uint64_t{1} << 11 | 2)) << "of another process";
}

TEST(EraseMark, DamageIsSaid) {
  const std::string blob = encode_erase_mark(some_mark());
  for (std::size_t i = 0; i < blob.size(); ++i) {
    EXPECT_FALSE(decode_erase_mark(blob.substr(0, i)));
    std::string bad = blob;
    bad[i] = static_cast<char>(bad[i] ^ 1);
    EXPECT_FALSE(decode_erase_mark(bad)) << i;
  }
  // Whatever it says, with the checksum of it.
  std::mt19937_64 random(3);
  for (int i = 0; i < 20'000; ++i) {
    std::string bad = blob;
    for (int n = 0; n < 3; ++n) bad[4 + random() % (bad.size() - 4)] = static_cast<char>(random());
    if (random() % 4 == 0) bad.resize(4 + random() % (bad.size() - 4));
    store_le(bad.data(), codec::crc32c(blob_bytes(bad).subspan(4)));
    const auto mark = decode_erase_mark(bad);
    if (mark) std::ignore = encode_erase_mark(*mark);
  }
}

}  // namespace
}  // namespace varve::engine::cassandra
