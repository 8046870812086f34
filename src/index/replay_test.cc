// SPDX-License-Identifier: Apache-2.0
// Definition records that are cut, damaged or lie: each is an error that names its offset, and nothing of the bad
// record is applied.
#include <gtest/gtest.h>

#include "index/series_index.h"

namespace varve::index {
namespace {

using namespace std::string_literals;

std::span<const std::byte> replayed_bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

// Two tenants, metrics 0 (tenant 0) and 1 (tenant 1), keys 0 "a", 1 "b" (tenant 0) and 2 "a" (tenant 1), pairs 0 a=v,
// 1 b=v (tenant 0) and 2 a=v (tenant 1), tag sets 0 {a=v}, 1 {}, series 0 (metric 0, tag set 0), 1 (metric 0, none),
// 2 (metric 1, none), group 0 of series 0, group 1 of series 1.
const std::string kGood =
    "\x11\x00\x01x\x11\x01\x01y"
    "\x12\x00\x00\x01m\x12\x01\x01\x01m"
    "\x13\x00\x00\x01"
    "a\x13\x01\x00\x01"
    "b\x13\x02\x01\x01"
    "a"
    "\x14\x00\x00\x01v\x14\x01\x01\x01v\x14\x02\x02\x01v"
    "\x15\x00\x01\x00\x15\x01\x00"
    "\x16\x00\x00\x01\x00\x16\x01\x01\x01\x00\x16\x02\x01\x01\x01"
    "\x17\x00\x01\x00\x17\x01\x01\x02"s;

TEST(Replay, AcceptsTheGoodOne) {
  SeriesIndex index;
  ASSERT_TRUE(index.replay(replayed_bytes(kGood)));
  EXPECT_EQ(index.series_count(), 3U);
  EXPECT_EQ(index.group_count(), 2U);
  EXPECT_TRUE(index.replay({}));
}

TEST(Replay, RefusesBadRecords) {
  const struct {
    std::string_view why;
    std::string record;
  } cases[] = {
      {"gap of tag sets: in use", "\x10\x00\x01"s},
      {"gap of tag sets: nothing", "\x10\x02\x00"s},
      {"gap of tag sets: in front of it a gap", "\x10\x03\x01"s},
      {"gap of metrics: in use", "\x1d\x00\x01"s},
      {"gap of metrics: in front of it a gap", "\x1d\x03\x01"s},
      {"gap of keys: in use", "\x1e\x00\x01"s},
      {"gap of keys: in front of it a gap", "\x1e\x04\x01"s},
      {"gap of pairs: in use", "\x1f\x00\x01"s},
      {"gap of pairs: in front of it a gap", "\x1f\x04\x01"s},
      {"gap of series: nothing", "\x1b\x03\x00"s},
      {"gap of series: in front of it a gap", "\x1b\x04\x01"s},
      {"gap of series: known", "\x1b\x02\x02"s},
      {"gap of series: cut", "\x1b\x03"s},
      {"gap of groups: nothing", "\x1c\x02\x00"s},
      {"gap of groups: in front of it a gap", "\x1c\x03\x01"s},
      {"gap of groups: known", "\x1c\x01\x02"s},
      {"mortal group: no time to live", "\x1a\x02\x00\x01\x04"s},
      {"mortal group: said without", "\x1a\x00\x3c\x01\x00"s},
      {"mortal group: cut", "\x1a\x02\x3c\x01"s},
      {"forget: nothing", "\x18\x00\x00"s},
      {"forget: no such series", "\x18\x02\x02"s},
      {"forget: beyond all numbers", "\x18\xff\xff\xff\xff\x0f\x02"s},
      {"revive: nothing", "\x19\x00\x00"s},
      {"revive: no such series", "\x19\x03\x01"s},
      {"revive: cut", "\x19\x00"s},
      {"cut after the kind", "\x11"s},
      {"cut in the length", "\x11\x02"s},
      {"cut in the name", "\x11\x02\x05nam"s},
      {"empty name", "\x11\x02\x00"s},
      {"name too long", "\x11\x02\x80\x80\x04"s + std::string(65536, 'x')},
      {"id over 32 bits", "\x11\x80\x80\x80\x80\x10\x01x"s},
      {"varint without end", "\x11\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01x"s},
      {"tenant: gap", "\x11\x03\x01z"s},
      {"tenant: renamed", "\x11\x00\x01z"s},
      {"tenant: twice", "\x11\x02\x01x"s},
      {"metric: gap", "\x12\x03\x00\x01z"s},
      {"metric: no such tenant", "\x12\x02\x02\x01z"s},
      {"metric: twice", "\x12\x02\x00\x01m"s},
      {"metric: renamed", "\x12\x00\x00\x01z"s},
      {"metric: of another tenant", "\x12\x00\x01\x01m"s},
      {"key: gap", "\x13\x04\x00\x01z"s},
      {"key: no such tenant", "\x13\x03\x02\x01z"s},
      {"key: twice",
       "\x13\x03\x00\x01"
       "a"s},
      {"key: renamed", "\x13\x00\x00\x01z"s},
      {"pair: gap", "\x14\x04\x00\x01z"s},
      {"pair: no such key", "\x14\x03\x03\x01z"s},
      {"pair: twice", "\x14\x03\x00\x01v"s},
      {"pair: of another key", "\x14\x00\x01\x01v"s},
      {"tag set: gap", "\x15\x03\x01\x01"s},
      {"tag set: no such pair", "\x15\x02\x01\x03"s},
      {"tag set: twice", "\x15\x02\x01\x00"s},
      {"tag set: wrong order", "\x15\x02\x02\x01\x00"s},
      {"tag set: one key twice", "\x15\x02\x02\x00\x00"s},
      {"tag set: two tenants", "\x15\x02\x02\x02\x01"s},
      {"tag set: changed", "\x15\x00\x01\x01"s},
      {"tag set: cut", "\x15\x02\x02\x00"s},
      {"tag set: too large", "\x15\x02\x80\x80\x04"s + std::string(65536, '\x01')},
      {"series: none", "\x16\x03\x00\x00"s},
      {"series: gap", "\x16\x04\x00\x01\x00"s},
      {"series: no such tag set", "\x16\x03\x02\x01\x00"s},
      {"series: no such metric", "\x16\x03\x00\x01\x02"s},
      {"series: no such second metric", "\x16\x03\x00\x02\x00\x02"s},
      {"series: twice", "\x16\x03\x00\x01\x00"s},
      {"series: other tag set", "\x16\x00\x01\x01\x00"s},
      {"series: other metric", "\x16\x00\x00\x01\x01"s},
      {"series: tag set of another tenant", "\x16\x03\x00\x01\x01"s},
      {"series: known, then twice", "\x16\x02\x01\x02\x01\x00"s},
      {"group: none", "\x17\x02\x00"s},
      {"group: gap", "\x17\x03\x01\x02"s},
      {"group: no such series", "\x17\x02\x01\x06"s},
      {"group: below zero", "\x17\x02\x01\x01"s},
      {"group: step too far", "\x17\x02\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"s},
      {"group: two tag sets", "\x17\x02\x02\x00\x02"s},
      {"group: two tenants", "\x17\x02\x02\x02\x02"s},
      {"group: twice", "\x17\x02\x01\x00"s},
      {"group: changed", "\x17\x00\x01\x02"s},
      {"group: too wide", "\x17\x02\x81\x80\x01"s + std::string(16385, '\x00')},
  };
  for (const auto& [why, record] : cases) {
    SeriesIndex index;
    ASSERT_TRUE(index.replay(replayed_bytes(kGood)));
    std::string before;
    index.dump(before);
    const auto status = index.replay(replayed_bytes(kGood + record));
    ASSERT_FALSE(status) << why;
    EXPECT_EQ(status.error().code, Code::corrupt) << why;
    EXPECT_NE(status.error().message.find("offset " + std::to_string(kGood.size()) + ":"), std::string::npos)
        << why << ": " << status.error().message;
    std::string after;
    index.dump(after);
    EXPECT_EQ(after, before) << why;
  }
}

TEST(Replay, NewSeriesTwiceInOneRecord) {
  SeriesIndex index;
  const std::string records = kGood + "\x12\x02\x00\x01n"s;
  ASSERT_TRUE(index.replay(replayed_bytes(records)));
  EXPECT_EQ(index.replay(replayed_bytes("\x16\x03\x00\x02\x02\x02"s)).error().code, Code::corrupt);
  EXPECT_EQ(index.series_count(), 3U);
}

TEST(Replay, RefusesAnotherVersion) {
  SeriesIndex index;
  EXPECT_EQ(index.replay(replayed_bytes("\x21\x00\x01x"s)).error().code, Code::unsupported);
  EXPECT_EQ(index.replay(replayed_bytes("\x01\x00\x01x"s)).error().code, Code::unsupported);
}

TEST(Replay, KnownAndNewSeriesInOneRecord) {
  SeriesIndex index;
  ASSERT_TRUE(index.replay(replayed_bytes(kGood + "\x12\x02\x00\x01n"s)));
  ASSERT_TRUE(index.replay(replayed_bytes("\x16\x01\x01\x01\x00"s)));
  ASSERT_TRUE(index.replay(replayed_bytes("\x16\x00\x00\x01\x00\x16\x03\x00\x01\x02"s)));
  EXPECT_EQ(index.series_count(), 4U);
}

TEST(Replay, CutAnywhereGivesAnErrorOrAWholePrefix) {
  std::size_t whole = 0;
  for (std::size_t bytes = 0; bytes < kGood.size(); ++bytes) {
    SeriesIndex index;
    const auto status = index.replay(replayed_bytes(std::string_view(kGood).substr(0, bytes)));
    whole += status ? 1 : 0;
    if (!status) {
      EXPECT_EQ(status.error().code, Code::corrupt);
    }
    EXPECT_TRUE(index.replay(replayed_bytes(kGood))) << bytes;
    EXPECT_EQ(index.series_count(), 3U);
  }
  EXPECT_EQ(whole, 17U);  // nothing, and after each of the 17 records but the last
}

TEST(Replay, KnowsNothingOfGaps) {
  SeriesIndex index;
  ASSERT_TRUE(index.replay(replayed_bytes(kGood)));
  const std::string gaps = "\x1b\x03\x90\x4e\x1c\x02\x03"s;  // 10,000 series, three groups
  ASSERT_TRUE(index.replay(replayed_bytes(gaps)));
  ASSERT_TRUE(index.replay(replayed_bytes(gaps))) << "again";
  ASSERT_TRUE(index.replay(replayed_bytes("\x1b\x04\x90\x4e\x1c\x03\x03"s))) << "and one more of each";
  EXPECT_EQ(index.series_end(), 10'004U);
  EXPECT_EQ(index.group_count(), 6U);
  EXPECT_EQ(index.series_count(), 3U);
  EXPECT_EQ(index.forgotten_count(), 0U);
  for (const unsigned id : {3U, 5000U, 10'003U}) EXPECT_TRUE(index.is_forgotten(model::SeriesId{id}));
  EXPECT_FALSE(index.is_forgotten(model::SeriesId{2}));
  EXPECT_TRUE(index.group_series(model::GroupId{4}).empty());
  const auto bad = index.replay(replayed_bytes("\x17\x06\x01\x0a"s));
  EXPECT_EQ(bad.error().code, Code::corrupt) << "a group of it";
  // A log may still say what was so before.
  for (const auto& [why, record] :
       {std::pair{"a series in it", "\x16\x05\x00\x01\x00"s}, std::pair{"a group in it", "\x17\x03\x01\x00"s},
        std::pair{"forget", "\x18\x03\x02"s}, std::pair{"revive", "\x19\x04\x01"s}}) {
    std::string before, after;
    index.dump(before);
    EXPECT_TRUE(index.replay(replayed_bytes(record))) << why;
    index.dump(after);
    EXPECT_EQ(after, before) << why;
  }
  EXPECT_EQ(index.catch_up(replayed_bytes("\x19\x04\x01"s)).error().code, Code::corrupt);
  EXPECT_EQ(index.replay(replayed_bytes("\x1b\x03\xff\xff\xff\xff\x07"s)).error().code, Code::limit);
  std::string dump;
  index.dump(dump);
  SeriesIndex again;
  ASSERT_TRUE(again.replay(replayed_bytes(dump)));
  std::string second;
  again.dump(second);
  EXPECT_EQ(second, dump);
}

TEST(Replay, LargeGapsTakeNoRoom) {
  SeriesIndex index;
  ASSERT_TRUE(index.replay(replayed_bytes("\x11\x00\x01x\x12\x00\x00\x01m\x15\x00\x00"s)));
  const std::size_t before = index.memory_bytes();
  ASSERT_TRUE(index.replay(replayed_bytes("\x1b\x00\x80\xad\xe2\x04\x1c\x00\x80\xad\xe2\x04"s)));  // 10 M each
  EXPECT_LT(index.memory_bytes() - before, 3'000'000U);
  const std::vector<std::string_view> metrics{"m"};
  std::string definitions;
  const auto group = index.define_group(model::TenantId{0}, {}, metrics, 10, definitions);
  EXPECT_EQ(group, model::GroupId{10'000'000});
  EXPECT_EQ(index.group_series(*group)[0], model::SeriesId{10'000'000});
}

}  // namespace
}  // namespace varve::index
