// SPDX-License-Identifier: Apache-2.0
// What the index promises, case by case. index_model_test.cc tries it at random.
#include "index/series_index.h"

#include <gtest/gtest.h>

namespace varve::index {
namespace {

using Kind = Matcher::Kind;
using Names = std::vector<std::string>;
using namespace std::string_literals;

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

class SeriesIndexTest : public testing::Test {
 protected:
  Result<model::GroupId> define(const model::TagViews& tags, std::vector<std::string_view> metrics,
                                std::size_t series_max = 1000) {
    return index_.define_group(tenant_, tags, metrics, series_max, definitions_);
  }
  std::vector<unsigned> select(std::string_view metric, const Matchers& matchers) {
    std::vector<unsigned> ids;
    const auto found = index_.select(tenant_, metric, matchers);
    for (const auto id : found.value()) ids.push_back(model::to_int(id));
    return ids;
  }
  std::string dump() {
    std::string out;
    index_.dump(out);
    return out;
  }

  SeriesIndex index_;
  std::string definitions_;
  model::TenantId tenant_ = index_.tenant("default", definitions_);
};

TEST_F(SeriesIndexTest, IsEmptyAtFirst) {
  const SeriesIndex index;
  EXPECT_EQ(index.series_count(), 0U);
  EXPECT_EQ(index.group_count(), 0U);
  EXPECT_EQ(index.tenants(), Names{});
  EXPECT_FALSE(index.find_tenant("default"));
}

TEST_F(SeriesIndexTest, GivesTenantsDenseNumbersOnce) {
  EXPECT_EQ(index_.tenant("blue", definitions_), model::TenantId{1});
  const std::size_t bytes = definitions_.size();
  EXPECT_EQ(index_.tenant("default", definitions_), model::TenantId{0});
  EXPECT_EQ(definitions_.size(), bytes);
  EXPECT_EQ(index_.tenants(), (Names{"blue", "default"}));
  EXPECT_EQ(index_.tenant_name(model::TenantId{1}), "blue");
  EXPECT_EQ(index_.find_tenant("blue"), model::TenantId{1});
}

TEST_F(SeriesIndexTest, WritesTheExampleOfTheFormatDocument) {
  ASSERT_TRUE(define({{"host", "a"}}, {"cpu_usage", "cpu_idle"}));
  const auto expected =
      "\x11\x00\x07"
      "default"
      "\x13\x00\x00\x04"
      "host"
      "\x14\x00\x00\x01"
      "a"
      "\x15\x00\x01\x00"
      "\x12\x00\x00\x09"
      "cpu_usage"
      "\x12\x01\x00\x08"
      "cpu_idle"
      "\x16\x00\x00\x02\x00\x01"
      "\x17\x00\x02\x00\x02"s;
  EXPECT_EQ(definitions_, expected);
}

TEST_F(SeriesIndexTest, DefinesOnceAndKnowsAgain) {
  const auto group = define({{"host", "a"}, {"os", "x"}}, {"cpu", "mem"});
  EXPECT_EQ(group.value(), model::GroupId{0});
  const std::size_t bytes = definitions_.size();
  EXPECT_EQ(define({{"host", "a"}, {"os", "x"}}, {"cpu", "mem"}).value(), model::GroupId{0});
  EXPECT_EQ(definitions_.size(), bytes);
  EXPECT_EQ(define({{"host", "a"}, {"os", "x"}}, {"mem", "cpu"}).value(), model::GroupId{1});  // another order
  EXPECT_EQ(index_.series_count(), 2U);
  EXPECT_EQ(index_.series_count(tenant_), 2U);
  EXPECT_EQ(index_.metric(model::SeriesId{1}), "mem");
  EXPECT_EQ(index_.tags(model::SeriesId{1}), (model::Tags{{"host", "a"}, {"os", "x"}}));
  EXPECT_EQ(index_.series_tenant(model::SeriesId{1}), tenant_);
  EXPECT_EQ(index_.group_tenant(model::GroupId{1}), tenant_);
}

TEST_F(SeriesIndexTest, NamesThePlacesOfASeriesLatestFirst) {
  ASSERT_TRUE(define({{"host", "a"}}, {"cpu", "mem", "cpu"}));
  ASSERT_TRUE(define({{"host", "a"}}, {"new", "cpu"}));
  EXPECT_EQ(index_.series_count(), 3U);
  std::vector<Place> places{{model::GroupId{9}, 9}};
  index_.places(model::SeriesId{0}, places);
  const std::vector<Place> expected{{model::GroupId{1}, 1}, {model::GroupId{0}, 0}, {model::GroupId{0}, 2}};
  EXPECT_EQ(places, expected);
  const auto columns = index_.group_series(model::GroupId{0});
  EXPECT_EQ(std::vector(columns.begin(), columns.end()),
            (std::vector{model::SeriesId{0}, model::SeriesId{1}, model::SeriesId{0}}));
}

TEST_F(SeriesIndexTest, GroupsOfOtherTimesToLiveAreOthers) {
  const std::vector<std::string_view> metrics = {"m", "n"};
  const model::TagViews tags = {{"host", "a"}};
  const auto define = [&](std::uint32_t ttl_s) {
    return *index_.define_group(tenant_, tags, metrics, 1000, definitions_, ttl_s);
  };
  const auto ever = define(0);
  const std::size_t bytes = definitions_.size();
  const auto minute = define(60);
  EXPECT_EQ(definitions_.substr(bytes), "\x1a\x01\x3c\x02\x00\x02"s);
  const auto hour = define(3600);
  EXPECT_EQ(define(60), minute);
  EXPECT_EQ(define(0), ever);
  EXPECT_EQ(define(3600), hour);
  EXPECT_EQ(index_.series_count(), 2U);
  EXPECT_EQ(index_.group_count(), 3U);
  for (const std::string& records : {definitions_, dump()}) {
    SeriesIndex again;
    ASSERT_TRUE(again.replay(bytes_of(records)));
    EXPECT_EQ(again.group_ttl_s(ever), 0U);
    EXPECT_EQ(again.group_ttl_s(minute), 60U);
    EXPECT_EQ(again.group_ttl_s(hour), 3600U);
    ASSERT_EQ(again.mortal_group_count(), 2U);
    EXPECT_EQ(again.mortal_group(0), minute);
    EXPECT_EQ(again.mortal_group(1), hour);
    std::vector<Place> places;
    again.places(model::SeriesId{1}, places);
    EXPECT_EQ(places, (std::vector<Place>{{hour, 1, 3600}, {minute, 1, 60}, {ever, 1, 0}}));
    std::string dumped;
    again.dump(dumped);
    EXPECT_EQ(dumped, dump());
    EXPECT_FALSE(again.replay(bytes_of("\x17\x01\x02\x00\x02"s))) << "another time to live";
  }
}

TEST_F(SeriesIndexTest, KeepsPartsApartThatReadTheSameTogether) {
  ASSERT_TRUE(define({{"a", "bc"}}, {"cpu"}));
  ASSERT_TRUE(define({{"ab", "c"}}, {"cpu"}));
  ASSERT_TRUE(define({}, {"cpua"}));
  EXPECT_EQ(index_.series_count(), 3U);
}

TEST_F(SeriesIndexTest, KeepsTenantsApart) {
  const auto blue = index_.tenant("blue", definitions_);
  ASSERT_TRUE(define({{"host", "a"}}, {"cpu"}));
  ASSERT_TRUE(define({}, {"up"}));
  ASSERT_TRUE(index_.define_group(blue, {}, std::vector<std::string_view>{"up"}, 1000, definitions_));
  EXPECT_EQ(index_.series_count(), 3U);
  EXPECT_EQ(index_.series_count(blue), 1U);
  EXPECT_EQ(index_.series_tenant(model::SeriesId{2}), blue);
  EXPECT_TRUE(index_.select(blue, "cpu", {}).value().empty());
  EXPECT_EQ(index_.metric_names(blue, {}), Names{"up"});
  EXPECT_EQ(index_.tag_keys(blue, "", {}), Names{});
  EXPECT_EQ(index_.tag_values(blue, "", "host", {}), Names{});
  EXPECT_TRUE(index_.select(blue, "up", {{"host", Kind::any_of, {"a"}}}).value().empty());
}

TEST_F(SeriesIndexTest, PassingTheLimitOfSeriesCreatesNothing) {
  ASSERT_TRUE(define({{"host", "a"}}, {"cpu", "mem"}, 3));
  const std::string before = definitions_;
  const std::string dumped = dump();
  const auto over = define({{"host", "b"}, {"new", "tag"}}, {"cpu", "disk"}, 3);
  EXPECT_EQ(over.error().code, Code::limit);
  EXPECT_EQ(definitions_, before);
  EXPECT_EQ(dump(), dumped);
  EXPECT_EQ(index_.tag_keys(tenant_, "", {}), Names{"host"});
  EXPECT_TRUE(define({{"host", "a"}}, {"mem", "cpu"}, 0));         // known series go on
  EXPECT_TRUE(define({{"host", "b"}}, {"cpu", "cpu", "cpu"}, 3));  // one new series
}

TEST_F(SeriesIndexTest, RefusesWhatItCannotKeep) {
  const std::string dumped = dump();
  const std::string longest(65535, 'x');
  const std::string longer(65536, 'x');
  const std::vector<std::string_view> many(16385, "cpu");
  EXPECT_EQ(define({}, {}).error().code, Code::invalid);
  EXPECT_EQ(define({}, many).error().code, Code::invalid);
  EXPECT_EQ(define({}, {"cpu", ""}).error().code, Code::invalid);
  EXPECT_EQ(define({}, {longer}).error().code, Code::invalid);
  EXPECT_EQ(define({{longer, "v"}}, {"cpu"}).error().code, Code::invalid);
  EXPECT_EQ(define({{"k", longer}}, {"cpu"}).error().code, Code::invalid);
  EXPECT_EQ(dump(), dumped);
  ASSERT_TRUE(define({{longest, longest}}, {longest}));
  ASSERT_TRUE(define({}, {many.begin(), many.begin() + 16384}));
  std::vector<Place> places;
  index_.places(model::SeriesId{1}, places);
  EXPECT_EQ(places.size(), 16384U);
  EXPECT_EQ(index_.tags(model::SeriesId{0}), (model::Tags{{longest, longest}}));
}

// Small tag sets are looked through, large ones have a table.
TEST_F(SeriesIndexTest, FindsTheSeriesOfALargeTagSet) {
  const auto blue = index_.tenant("blue", definitions_);
  const auto define_all = [&](std::size_t count) {
    std::vector<model::GroupId> groups;
    for (std::size_t i = 0; i < count; ++i) {
      const std::string metric = "metric" + std::to_string(i);
      for (const auto& tags : {model::TagViews{{"host", "a"}}, model::TagViews{}}) {
        groups.push_back(define(tags, {metric}).value());
      }
      const std::vector<std::string_view> one{metric};
      groups.push_back(index_.define_group(blue, {}, one, 1000, definitions_).value());
    }
    return groups;
  };
  for (const std::size_t count : {31, 32, 33, 34, 200}) {
    const auto groups = define_all(count);
    const std::string defined = definitions_;
    EXPECT_EQ(define_all(count), groups);
    EXPECT_EQ(definitions_, defined) << "nothing is new";
    EXPECT_EQ(index_.series_count(), 3 * count);
    SeriesIndex again;
    ASSERT_TRUE(again.replay(std::as_bytes(std::span(definitions_))));
    std::string dumped;
    again.dump(dumped);
    EXPECT_EQ(dumped, dump());
    for (const auto* const index : {&index_, &again}) {
      const auto found = index->select(model::TenantId{0}, "metric30", {{"host", Kind::any_of, {"a"}}});
      ASSERT_EQ(found->size(), 1U);
      EXPECT_EQ(index->tags(found->front()), (model::Tags{{"host", "a"}}));
    }
  }
}

class SelectTest : public SeriesIndexTest {
 protected:
  SelectTest() {
    EXPECT_TRUE(define({{"dc", "x"}, {"host", "a1"}}, {"cpu", "mem"}));  // 0, 1
    EXPECT_TRUE(define({{"dc", "x"}, {"host", "a2"}}, {"cpu", "mem"}));  // 2, 3
    EXPECT_TRUE(define({{"dc", "y"}, {"host", "b1"}}, {"cpu"}));         // 4
    EXPECT_TRUE(define({{"dc", "y"}}, {"cpu", "mem"}));                  // 5, 6
    EXPECT_TRUE(define({}, {"cpu"}));                                    // 7
    EXPECT_TRUE(define({{"dc", "y"}, {"host", "b1"}}, {"mem", "cpu"}));  // 8
  }
};

TEST_F(SelectTest, FitsEveryKindOfMatcher) {
  using Ids = std::vector<unsigned>;
  const struct {
    Matchers matchers;
    Ids cpu;
  } cases[] = {
      {{}, {0, 2, 4, 5, 7}},
      {{{"host", Kind::any_of, {"a2"}}}, {2}},
      {{{"host", Kind::any_of, {"b1", "a1", "b1", "none"}}}, {0, 4}},
      {{{"host", Kind::any_of, {}}}, {}},
      {{{"host", Kind::any_of, {""}}}, {5, 7}},
      {{{"host", Kind::any_of, {"", "a1"}}}, {0, 5, 7}},
      {{{"host", Kind::none_of, {"a1"}}}, {2, 4, 5, 7}},
      {{{"host", Kind::none_of, {"a1", ""}}}, {2, 4}},
      {{{"host", Kind::none_of, {}}}, {0, 2, 4, 5, 7}},
      {{{"host", Kind::prefix, {"a"}}}, {0, 2}},
      {{{"host", Kind::prefix, {""}}}, {0, 2, 4, 5, 7}},
      {{{"host", Kind::regex, {"a.|b1"}}}, {0, 2, 4}},
      {{{"host", Kind::regex, {"a"}}}, {}},
      {{{"host", Kind::regex, {"(a.)?"}}}, {0, 2, 5, 7}},
      {{{"host", Kind::not_regex, {"a."}}}, {4, 5, 7}},
      {{{"host", Kind::not_regex, {".*"}}}, {}},
      {{{"host", Kind::not_regex, {""}}}, {0, 2, 4}},
      {{{"dc", Kind::any_of, {"y"}}, {"host", Kind::any_of, {"b1", "a1"}}}, {4}},
      {{{"dc", Kind::any_of, {"y"}}, {"host", Kind::none_of, {"b1"}}}, {5}},
      {{{"dc", Kind::regex, {"x|y"}}, {"host", Kind::any_of, {""}}}, {5}},
      {{{"nokey", Kind::any_of, {"v"}}}, {}},
      {{{"nokey", Kind::any_of, {""}}}, {0, 2, 4, 5, 7}},
      {{{"nokey", Kind::none_of, {"v"}}, {"dc", Kind::prefix, {"x"}}}, {0, 2}},
      {{{"nokey", Kind::regex, {".+"}}}, {}},
  };
  for (std::size_t i = 0; i < std::size(cases); ++i) EXPECT_EQ(select("cpu", cases[i].matchers), cases[i].cpu) << i;
  EXPECT_EQ(select("mem", {{"host", Kind::any_of, {"b1"}}}), Ids{8});
  EXPECT_EQ(select("none", {}), Ids{});
}

TEST_F(SelectTest, SaysWhatIsWrongWithAMatcher) {
  for (const std::string_view metric : {"cpu", "none"}) {
    const auto code = [&](const Matcher& matcher) { return index_.select(tenant_, metric, {matcher}).error().code; };
    EXPECT_EQ(check_matchers({{"host", Kind::regex, {"a("}}}).error().code, Code::invalid);
    EXPECT_TRUE(check_matchers({{"host", Kind::regex, {"a.*"}}}));
    EXPECT_EQ(code({"host", Kind::regex, {"a("}}), Code::invalid);
    EXPECT_EQ(code({"host", Kind::not_regex, {"*"}}), Code::invalid);
    EXPECT_EQ(code({"host", Kind::regex, {}}), Code::invalid);
    EXPECT_EQ(code({"host", Kind::not_regex, {}}), Code::invalid);
    EXPECT_EQ(code({"nokey", Kind::prefix, {}}), Code::invalid);
  }
  const auto bad = index_.select(tenant_, "cpu", {{"host", Kind::regex, {"a("}}});
  EXPECT_NE(bad.error().message.find("a("), std::string::npos);
}

TEST_F(SelectTest, ListsNames) {
  EXPECT_TRUE(define({{"z", "1"}}, {"cpu_idle", "cpu_user", "disk"}));
  EXPECT_EQ(index_.metric_names(tenant_, {}), (Names{"cpu", "cpu_idle", "cpu_user", "disk", "mem"}));
  EXPECT_EQ(index_.metric_names(tenant_, {.limit = 2}), (Names{"cpu", "cpu_idle"}));
  EXPECT_EQ(index_.metric_names(tenant_, {.prefix = "cpu_"}), (Names{"cpu_idle", "cpu_user"}));
  EXPECT_EQ(index_.metric_names(tenant_, {.prefix = "cpu_", .limit = 1}), Names{"cpu_idle"});
  EXPECT_EQ(index_.metric_names(tenant_, {.prefix = "cpu_", .limit = 9}), (Names{"cpu_idle", "cpu_user"}));
  EXPECT_EQ(index_.metric_names(tenant_, {.prefix = "q"}), Names{});
  EXPECT_EQ(index_.tag_keys(tenant_, "", {}), (Names{"dc", "host", "z"}));
  EXPECT_EQ(index_.tag_keys(tenant_, "mem", {}), (Names{"dc", "host"}));
  EXPECT_EQ(index_.tag_keys(tenant_, "disk", {}), Names{"z"});
  EXPECT_EQ(index_.tag_keys(tenant_, "none", {}), Names{});
  EXPECT_EQ(index_.tag_values(tenant_, "", "host", {}), (Names{"a1", "a2", "b1"}));
  EXPECT_EQ(index_.tag_values(tenant_, "cpu", "dc", {}), (Names{"x", "y"}));
  EXPECT_EQ(index_.tag_values(tenant_, "disk", "dc", {}), Names{});
  EXPECT_EQ(index_.tag_values(tenant_, "none", "dc", {}), Names{});
  EXPECT_EQ(index_.tag_values(tenant_, "cpu", "none", {}), Names{});
}

TEST_F(SelectTest, ViewsStayWhereTheyAre) {
  const auto metric = index_.metric(model::SeriesId{0});
  const auto columns = index_.group_series(model::GroupId{0});
  model::TagViews tags;
  index_.tags(model::SeriesId{0}, tags);
  for (int i = 0; i < 5000; ++i) {
    const std::string host = "host" + std::to_string(i);
    ASSERT_TRUE(define({{"host", host}}, {"cpu", host}, 100000));
  }
  EXPECT_EQ(metric.data(), index_.metric(model::SeriesId{0}).data());
  EXPECT_EQ(columns.data(), index_.group_series(model::GroupId{0}).data());
  model::TagViews again;
  index_.tags(model::SeriesId{0}, again);
  EXPECT_EQ(tags[0].value.data(), again[0].value.data());
}

TEST_F(SelectTest, ReplaysItsRecordsAndItsDump) {
  for (const std::string& records : {definitions_, dump()}) {
    SeriesIndex other;
    ASSERT_TRUE(other.replay(bytes_of(records)));
    std::string again;
    other.dump(again);
    EXPECT_EQ(again, dump());
    EXPECT_EQ(other.series_count(tenant_), 9U);
  }
}

TEST_F(SelectTest, ReplaysOverlappingLogs) {
  const std::string first = definitions_;
  ASSERT_TRUE(define({{"dc", "z"}}, {"cpu"}));
  SeriesIndex other;
  ASSERT_TRUE(other.replay(bytes_of(first)));
  ASSERT_TRUE(other.replay(bytes_of(definitions_)));  // the whole log: the first part is known
  ASSERT_TRUE(other.replay(bytes_of(dump())));
  ASSERT_TRUE(other.replay(bytes_of(first)));
  std::string again;
  other.dump(again);
  EXPECT_EQ(again, dump());
}

TEST(SeriesIndex, ForgetsAndRevives) {
  SeriesIndex index;
  std::string records;
  const auto tenant = index.tenant("t", records);
  const std::string_view both[] = {"a", "b"};
  const std::string_view only_b[] = {"b"};
  const model::TagViews tags = {{"host", "x"}};
  const auto group = index.define_group(tenant, tags, both, 10, records);
  const auto series = index.group_series(*group);
  const std::size_t before = records.size();
  index.forget(series, records);
  EXPECT_EQ(records.substr(before), "\x18\x00\x02"s);
  index.forget(series, records);  // changes nothing, says nothing
  EXPECT_EQ(records.size(), before + 3);
  EXPECT_TRUE(index.select(tenant, "a", {})->empty());
  EXPECT_TRUE(index.select(tenant, "a", {{"host", Matcher::Kind::any_of, {"x"}}})->empty());
  EXPECT_TRUE(index.metric_names(tenant, {}).empty());
  EXPECT_TRUE(index.tag_keys(tenant, "", {}).empty());
  EXPECT_TRUE(index.tag_values(tenant, "", "host", {}).empty());
  EXPECT_TRUE(index.tag_counts(tenant, "", {}).empty());
  EXPECT_EQ(index.series_count(tenant), 0U);
  EXPECT_EQ(index.series_end(), 2U);

  // Defined again it is there again, and to the limit it is a new one.
  EXPECT_EQ(index.define_group(tenant, tags, only_b, 0, records).error().code, Code::limit);
  const std::string_view b_twice[] = {"b", "b"};
  ASSERT_TRUE(index.define_group(tenant, tags, b_twice, 1, records));
  EXPECT_EQ(index.metric_names(tenant, {}), Names{"b"});
  EXPECT_EQ(index.tag_values(tenant, "", "host", {}), Names{"x"});
  EXPECT_EQ(index.tag_counts(tenant, "b", {}), (std::vector<TagCount>{{"host", "x", 1}}));
  EXPECT_EQ(index.may_revive(*group, 1).error().code, Code::limit);
  EXPECT_EQ(index.may_revive(*group, 1).error().message,
            "tenant 't' has 1 series; at most 1 (limits.series_per_tenant)");
  EXPECT_TRUE(index.may_revive(*group, 2));  // a only
  index.revive(*group, records);
  EXPECT_TRUE(index.may_revive(*group, 0));
  EXPECT_EQ(index.metric_names(tenant, {}), (Names{"a", "b"}));
  EXPECT_EQ(index.tag_counts(tenant, "", {}), (std::vector<TagCount>{{"host", "x", 2}}));
}

}  // namespace
}  // namespace varve::index
