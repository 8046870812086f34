// SPDX-License-Identifier: Apache-2.0
#include "message/id.h"

#include <gtest/gtest.h>

#include "message/builder.h"
#include "message/matches.h"

namespace varve::message {
namespace {

std::string_view bytes_of(const Id& id) { return {id.data(), id.size()}; }

TEST(MessageId, OfTimeAndArrivalWhereTheSenderGaveNone) {
  EXPECT_EQ(uuid_text(bytes_of(made_id(1'488'491'800'401'440, 0x1234'5678'9abc'def0))),
            "015a9106-6751-8123-8004-56789abcdef0");
  EXPECT_NE(made_id(1'000, 1), made_id(1'000, 2));
  EXPECT_NE(made_id(1'000, std::uint64_t{1} << 63), made_id(1'000, std::uint64_t{1} << 62));
  EXPECT_LT(made_id(1'000, 2), made_id(2'000, 1));
}

TEST(MessageId, TellsWhenTheMessageWas) {
  constexpr std::int64_t kFirst = std::numeric_limits<std::int64_t>::min(), kLast = -(kFirst + 1);
  for (const std::int64_t us :
       {std::int64_t{0}, std::int64_t{-1}, std::int64_t{999}, std::int64_t{-999}, std::int64_t{-1000},
        std::int64_t{-1001}, std::int64_t{1'700'000'000'123'456}, kFirst, kLast, std::int64_t{1} << 57}) {
    const Id id = made_id(us, 7);
    const auto found = time_of_made_id(bytes_of(id), us, us);
    ASSERT_TRUE(found) << us;
    EXPECT_LE(found->first_us, us);
    EXPECT_GE(found->last_us, us);
    EXPECT_LE(found->last_us / 1000 - found->first_us / 1000, 0) << us;
    if (us > kFirst + 9'000'000) {
      EXPECT_FALSE(time_of_made_id(bytes_of(id), us - 9'000'000, us - 5'000'000)) << us;
    }
    if (us < kLast - 9'000'000) {
      EXPECT_FALSE(time_of_made_id(bytes_of(id), us + 5'000'000, us + 9'000'000)) << us;
    }
  }
}

TEST(MessageId, IsWhatTermsCompareWith) {
  Batch batch;
  Builder builder(batch);
  const Id given = *read_uuid("0f8fad5b-d9cb-469f-a165-70867728950e");
  builder.start();
  builder.finish(7'000);
  const std::size_t second = batch.bytes().size();
  builder.start();
  builder.set_id(given);
  builder.finish(7'000);
  const RowView made{batch.bytes().data()}, sent{batch.bytes().data() + second};
  EXPECT_EQ(id_of(made), made_id(7'000, made.arrival()));
  EXPECT_EQ(id_of(sent), given);
  for (const Op op : {Op::equal, Op::not_equal}) {
    const bool is = op == Op::equal;
    EXPECT_EQ(matches(*make_term(Column::id, "", op, bytes_of(given)), sent), is);
    EXPECT_EQ(matches(*make_term(Column::id, "", op, bytes_of(given)), made), !is);
    EXPECT_EQ(matches(*make_term(Column::id, "", op, bytes_of(id_of(made))), made), is);
  }
}

TEST(IdentityOf, IsTheSendersIdOrAllButTheArrival) {
  constexpr std::string_view kId = "0f8fad5b-d9cb-469f-a165-70867728950e";
  const auto of = [](std::int64_t time_us, std::string_view text, std::string_view id = {}, std::uint64_t arrival = 0) {
    Batch batch;
    Builder builder(batch);
    builder.start();
    EXPECT_TRUE(builder.set(Column::text, text));
    if (!id.empty()) builder.set_id(*read_uuid(id));
    builder.finish(time_us);
    set_arrival(const_cast<std::byte*>(batch.bytes().data()), arrival);
    return identity_of({batch.bytes().data()});
  };
  EXPECT_EQ(of(1, "a", kId), of(1, "b", kId));
  EXPECT_NE(of(1, "a", kId), of(2, "a", kId));
  EXPECT_EQ(of(1, "a"), of(1, "a"));
  EXPECT_NE(of(1, "a"), of(1, "b"));
  EXPECT_NE(of(1, "a"), of(2, "a"));
  EXPECT_EQ(of(1, "a", {}, 77), of(1, "a"));
}

}  // namespace
}  // namespace varve::message
