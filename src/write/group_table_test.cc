// SPDX-License-Identifier: Apache-2.0
#include "write/group_table.h"

#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "write/testing/fake_stores.h"

namespace varve::write {
namespace {

struct GroupWorld {
  testing::FakeSeriesStore series;
  TableContext context;
  GroupTable table;
  unsigned generation;

  explicit GroupWorld(std::int64_t name_bytes = 1 << 20)
      : context{series, {}, name_bytes, {}}, table(context, model::TenantId{7}), generation(context.retired.enter()) {}
  ~GroupWorld() { context.retired.leave(generation); }
  GroupWorld(const GroupWorld&) = delete;
  GroupWorld& operator=(const GroupWorld&) = delete;

  Result<model::LineGroup*> define(std::string_view name, std::string_view fields = "", std::size_t series_count = 1) {
    const std::vector<std::string_view> metrics(series_count, "m");
    return table.define(name, fields, {{"host", "a"}}, metrics);
  }
};

std::string name_of(int i) { return "cpu,host=host_" + std::to_string(i) + ",region=eu-west-1"; }

TEST(GroupTable, KnowsNothingAtFirst) {
  GroupWorld w;
  EXPECT_EQ(w.table.find("cpu", ""), nullptr);
  EXPECT_EQ(w.table.find("", ""), nullptr);
}

TEST(GroupTable, FindsWhatWasDefined) {
  GroupWorld w;
  const auto group = w.define("cpu,host=a", "x=y=", 2);
  ASSERT_TRUE(group);
  EXPECT_EQ(w.table.find("cpu,host=a", "x=y="), *group);
  EXPECT_EQ((*group)->count, 2);
  EXPECT_EQ((*group)->fields, "x=y=");
  EXPECT_EQ((*group)->id, model::GroupId{0});
  EXPECT_EQ(w.series.last_tenant.load(), model::TenantId{7});
  EXPECT_TRUE((*group)->is("cpu,host=a"));
  EXPECT_FALSE((*group)->is("cpu,host=b"));
  EXPECT_FALSE((*group)->is("cpu,host="));
}

TEST(GroupTable, OneNameWithAnotherTimeToLiveIsAnotherGroup) {
  GroupWorld w;
  const std::string_view metric[] = {"m"};
  const auto ever = w.table.define("m{}", "", {{"host", "a"}}, metric);
  EXPECT_EQ(w.series.ttls_s.back(), 0U);
  const auto minute = w.table.define("m{}", "60", {{"host", "a"}}, metric, 60);
  EXPECT_EQ(w.series.ttls_s.back(), 60U);
  EXPECT_NE(*ever, *minute);
  EXPECT_EQ((*ever)->ttl_s, 0U);
  EXPECT_EQ((*minute)->ttl_s, 60U);
  EXPECT_EQ(w.table.find("m{}", ""), *ever);
  EXPECT_EQ(w.table.find("m{}", "60"), *minute);
  EXPECT_EQ(w.table.find("m{}", "61"), nullptr);
}

TEST(GroupTable, ChecksWithoutDefining) {
  GroupWorld w;
  w.context.limits.value_bytes_max = 3;
  const std::string_view metric[] = {"m"};
  EXPECT_TRUE(w.table.check({{"host", "a"}}, metric));
  const auto too_long = w.table.check({{"host", "long"}}, metric);
  ASSERT_FALSE(too_long);
  EXPECT_EQ(too_long.error().message, w.table.define("n", "", {{"host", "long"}}, metric).error().message);
  w.context.limits.long_value = model::LongValue::truncate;
  EXPECT_TRUE(w.table.check({{"host", "long"}}, metric));
  EXPECT_FALSE(w.table.check({{"host", "a"}}, std::vector<std::string_view>(1025, "m")));
  EXPECT_EQ(w.series.groups, 0U);
}

TEST(GroupTable, NameAndFieldsBothCount) {
  GroupWorld w;
  ASSERT_TRUE(w.define("a", "b=c="));
  EXPECT_EQ(w.table.find("a", "b="), nullptr);
  EXPECT_EQ(w.table.find("a", ""), nullptr);
  EXPECT_EQ(w.table.find("ab=", "c="), nullptr);
  EXPECT_EQ(w.table.find("b", "b=c="), nullptr);
}

TEST(GroupTable, DefinedTwiceIsOneGroup) {
  GroupWorld w;
  const auto a = w.define("a");
  EXPECT_EQ(*a, *w.define("a"));
  EXPECT_EQ(w.series.groups, 1U);
}

TEST(GroupTable, FieldListsAreKeptOnce) {
  GroupWorld w;
  const auto a = w.define("a", "x=y=", 2);
  const auto b = w.define("b", "x=y=", 2);
  EXPECT_EQ((*a)->fields.data(), (*b)->fields.data());
}

TEST(GroupTable, PastTheBudgetNamesAreHashes) {
  GroupWorld w(70);  // for two short ones
  const auto kept = w.define("0123456789");
  const auto also = w.define("0123456780");
  const auto hashed = w.define("a123456789");
  EXPECT_NE((*kept)->raw_name, nullptr);
  EXPECT_NE((*also)->raw_name, nullptr);
  EXPECT_EQ((*hashed)->raw_name, nullptr);
  EXPECT_EQ(w.table.find("a123456789", ""), *hashed);
  EXPECT_TRUE((*hashed)->is("a123456789"));
  EXPECT_FALSE((*hashed)->is("a123456788"));
}

TEST(GroupTable, TellsWhyItRefuses) {
  GroupWorld w;
  w.context.limits.metric_bytes_max = 0;
  EXPECT_EQ(w.define("a").error().code, Code::invalid);
  w.context.limits.metric_bytes_max = 10;
  EXPECT_EQ(w.define("a", "", 1025).error().code, Code::invalid);
  w.series.refuse = true;
  EXPECT_EQ(w.define("a").error().code, Code::limit);
  EXPECT_EQ(w.table.find("a", ""), nullptr);
  w.series.refuse = false;
  EXPECT_TRUE(w.define("a"));
}

TEST(GroupTable, CleansTagsOfNewNames) {
  GroupWorld w;
  const model::TagViews tags{{"host", "this-is-tag-with-invalid-length"}, {"os", "linux"}, {"pid", "7"}};
  const std::string_view metric = "m";
  const auto define = [&](std::string_view name) { return w.table.define(name, "", tags, {&metric, 1}); };
  w.context.limits.value_bytes_max = 10;
  EXPECT_EQ(define("a").error().message, "the value of tag 'host' has 31 bytes; at most 10");
  w.context.limits.long_value = model::LongValue::exclude;
  ASSERT_TRUE(define("b"));
  EXPECT_EQ(w.series.last_tags, (model::Tags{{"os", "linux"}, {"pid", "7"}}));
  w.context.limits.long_value = model::LongValue::truncate;
  w.context.limits.excluded_keys = {"pid"};
  ASSERT_TRUE(define("c"));
  EXPECT_EQ(w.series.last_tags, (model::Tags{{"host", "this-is-ta"}, {"os", "linux"}}));
  EXPECT_NE(w.table.find("c", ""), nullptr);
  w.context.limits.long_value = model::LongValue::reject;
  EXPECT_EQ(define("d").error().code, Code::invalid) << "excluding a key does not switch the other limit off";
}

TEST(GroupTable, GrowsAndStaysSmall) {
  constexpr int kGroups = 100'000;
  GroupWorld w(0);
  for (int i = 0; i < kGroups; ++i) ASSERT_TRUE(w.define(name_of(i), "x=y=", 2));
  for (int i = 0; i < kGroups; ++i) {
    const auto* group = w.table.find(name_of(i), "x=y=");
    ASSERT_NE(group, nullptr) << i;
    ASSERT_EQ(model::to_int(group->id), static_cast<unsigned>(i));
  }
  EXPECT_EQ(w.table.find(name_of(kGroups), "x=y="), nullptr);
  EXPECT_LE(w.table.memory_bytes() / kGroups, 82U);
}

// Many threads define the same names in different orders and look them up meanwhile: each name becomes one group.
TEST(GroupTable, ManyThreadsAgree) {
  constexpr int kGroups = 5'000;
  GroupWorld w(100'000);
  std::vector<std::thread> threads;
  std::vector<std::vector<model::LineGroup*>> seen(4, std::vector<model::LineGroup*>(kGroups));
  for (std::size_t t = 0; t < seen.size(); ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kGroups; ++i) {
        if (i % 100 == 0) {  // a request ends, the next begins
          const unsigned generation = w.context.retired.enter();
          w.context.retired.leave(generation);
        }
        const int n = static_cast<int>((static_cast<std::size_t>(i) * 7919 + t * 1237) % kGroups);
        const std::string name = name_of(n);
        model::LineGroup* group = w.table.find(name, "");
        if (group == nullptr) group = *w.define(name);
        seen[t][static_cast<std::size_t>(n)] = group;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(w.series.groups, static_cast<unsigned>(kGroups));
  for (std::size_t t = 1; t < seen.size(); ++t) EXPECT_EQ(seen[t], seen[0]);
}

}  // namespace
}  // namespace varve::write
