// SPDX-License-Identifier: Apache-2.0
// Pages of names and tags: where they begin and end. Random ones are in index_model_test.cc.
#include <gtest/gtest.h>

#include "index/series_index.h"

namespace varve::index {
namespace {

using Names = std::vector<std::string>;

class NamesTest : public testing::Test {
 protected:
  model::SeriesId define(const std::string& metric, const model::Tags& tags, model::TenantId tenant) {
    const std::string_view name = metric;
    const auto group = index_.define_group(tenant, model::to_views(tags), {&name, 1}, 1'000'000, records_);
    return index_.group_series(group.value())[0];
  }
  model::SeriesId define(const std::string& metric, const model::Tags& tags) { return define(metric, tags, tenant_); }
  [[nodiscard]] Names hosts(const NamePage& page, std::string_view metric = "") const {
    return index_.tag_values(tenant_, metric, "host", page);
  }
  static std::string host(unsigned n) { return "h" + std::to_string(1000 + n); }

  SeriesIndex index_;
  std::string records_;
  model::TenantId tenant_ = index_.tenant("t", records_);
};

// Few names are sorted where they are asked for, many are kept in order; it is the same from outside.
class FewAndMany : public NamesTest, public testing::WithParamInterface<unsigned> {};

TEST_P(FewAndMany, PagesOfValues) {
  const unsigned count = GetParam();
  for (unsigned n = 0; n < count; ++n) define("m", {{"host", host(n * 7919 % count)}});
  Names paged;
  for (NamePage page{.limit = 7}; true; page.after = paged.back()) {
    const Names some = hosts(page);
    if (some.empty()) break;
    ASSERT_LE(some.size(), 7U);
    paged.insert(paged.end(), some.begin(), some.end());
  }
  Names all;
  for (unsigned n = 0; n < count; ++n) all.push_back(host(n));
  EXPECT_EQ(paged, all);
  EXPECT_EQ(hosts({}), all);
  EXPECT_EQ(hosts({}, "m"), all);
  EXPECT_EQ(hosts({.after = host(count - 1)}), Names{});
  EXPECT_EQ(hosts({.after = host(count / 2) + "x", .limit = 1}), Names{host(count / 2 + 1)});  // is no name
  EXPECT_EQ(hosts({.after = "a", .limit = 1}), Names{host(0)});
  EXPECT_EQ(hosts({.prefix = "h1002", .limit = 1}), Names{host(2)});
  EXPECT_EQ(hosts({.prefix = "h1002", .after = "a", .limit = 9}), Names{host(2)});
  EXPECT_EQ(hosts({.prefix = "h1002", .after = host(2)}), Names{});
  EXPECT_EQ(hosts({.prefix = "i"}), Names{});
  EXPECT_EQ(hosts({.prefix = "h", .limit = count + 1}), all);
}
// 64: as many as are not kept in order; 65: the first that is.
INSTANTIATE_TEST_SUITE_P(Counts, FewAndMany, testing::Values(8U, 64U, 65U, 256U, 257U, 1000U));

TEST_F(NamesTest, BytesUpToTheLast) {
  const Names names = {"\x7f", "a", "a\xff", "a\xff\xff", "a\xff\xff\xff", "b", "\xc3\xa4", "\xff", "\xff\xff"};
  for (const auto& name : names) define("m" + name, {{"host", name}, {"k" + name, "v"}});
  for (unsigned n = 0; n < 100; ++n) define("m", {{"host", "c" + host(n)}});
  EXPECT_EQ(hosts({.prefix = "a\xff"}), (Names{"a\xff", "a\xff\xff", "a\xff\xff\xff"}));
  EXPECT_EQ(hosts({.prefix = "a\xff\xff\xff"}), Names{"a\xff\xff\xff"});
  EXPECT_EQ(hosts({.prefix = "\xff"}), (Names{"\xff", "\xff\xff"}));
  EXPECT_EQ(hosts({.prefix = "\xff", .after = "\xff"}), Names{"\xff\xff"});
  EXPECT_EQ(hosts({.prefix = "\xff\xff\xff"}), Names{});
  EXPECT_EQ(hosts({.after = "\xff\xff"}), Names{});
  EXPECT_EQ(hosts({.after = "\x7f", .limit = 1}), Names{"\xc3\xa4"});  // by bytes, not by signed characters
  EXPECT_EQ(hosts({.prefix = "a", .after = "a\xff\xff\xff\xff"}), Names{});
  EXPECT_EQ(index_.metric_names(tenant_, {.prefix = "ma\xff\xff"}), (Names{"ma\xff\xff", "ma\xff\xff\xff"}));
  EXPECT_EQ(index_.tag_keys(tenant_, "", {.prefix = "k\xff"}), (Names{"k\xff", "k\xff\xff"}));
  EXPECT_EQ(index_.tag_keys(tenant_, "mb", {.after = "host"}), Names{"kb"});
}

TEST_F(NamesTest, ForgottenSeriesAreNotOfThePage) {
  std::vector<model::SeriesId> series;
  for (unsigned n = 0; n < 200; ++n) series.push_back(define("m", {{"host", host(n)}}));
  index_.forget(std::span(series).first(199), records_);
  EXPECT_EQ(hosts({.limit = 1}), Names{host(199)});
  EXPECT_EQ(hosts({.limit = 1}, "m"), Names{host(199)});
  EXPECT_EQ(index_.tag_counts(tenant_, "", {.limit = 1}), (std::vector<TagCount>{{"host", host(199), 1}}));
  EXPECT_EQ(index_.tag_counts(tenant_, "m", {.limit = 1}), (std::vector<TagCount>{{"host", host(199), 1}}));
  index_.forget(std::span(series).last(1), records_);
  EXPECT_EQ(hosts({}), Names{});
  EXPECT_EQ(index_.metric_names(tenant_, {}), Names{});
  EXPECT_EQ(index_.tag_keys(tenant_, "m", {}), Names{});
  define("m", {{"host", host(5)}});
  EXPECT_EQ(hosts({.limit = 3}), Names{host(5)});
}

TEST_F(NamesTest, EachTenantHasItsOwn) {
  const auto other = index_.tenant("other", records_);
  for (unsigned n = 0; n < 300; ++n) define("m" + host(n / 3), {{"host", host(n)}}, n % 3 == 0 ? other : tenant_);
  EXPECT_EQ(index_.tag_values(other, "", "host", {.after = host(0), .limit = 2}), (Names{host(3), host(6)}));
  EXPECT_EQ(hosts({.after = host(0), .limit = 2}), (Names{host(1), host(2)}));
  EXPECT_EQ(index_.metric_names(other, {.after = "m" + host(97)}), (Names{"m" + host(98), "m" + host(99)}));
  EXPECT_EQ(index_.tag_counts(other, "", {"host", host(294), 1}), (std::vector<TagCount>{{"host", host(297), 1}}));
}

// The few series of a metric are found although others have the same tags: by its own list, once theirs gets too long.
TEST_F(NamesTest, OfAMetricAmongManyOthers) {
  for (unsigned n = 0; n < 3000; ++n) define("many", {{"host", host(n)}, {"os", n % 2 == 0 ? "a" : "b"}});
  define("few", {{"host", host(2999)}, {"os", "a"}});
  define("few", {{"host", host(2998)}, {"rack", "r"}});
  EXPECT_EQ(hosts({.limit = 5}, "few"), (Names{host(2998), host(2999)}));
  EXPECT_EQ(index_.tag_values(tenant_, "few", "os", {.limit = 5}), Names{"a"});
  EXPECT_EQ(index_.tag_keys(tenant_, "few", {.limit = 5}), (Names{"host", "os", "rack"}));
  EXPECT_EQ(index_.tag_keys(tenant_, "many", {.limit = 5}), (Names{"host", "os"}));
  using Counts = std::vector<TagCount>;
  EXPECT_EQ(index_.tag_counts(tenant_, "few", {"host", host(2998), 2}),
            (Counts{{"host", host(2999), 1}, {"os", "a", 1}}));
  EXPECT_EQ(index_.tag_counts(tenant_, "many", {"host", host(2998), 2}),
            (Counts{{"host", host(2999), 1}, {"os", "a", 1500}}));
  EXPECT_EQ(index_.tag_counts(tenant_, "", {"os", "", 1}), (Counts{{"os", "a", 1501}}));
}

TEST_F(NamesTest, SeriesOfTags) {
  const auto a = define("m", {{"host", "a"}, {"os", "x"}});
  const auto b = define("m", {{"host", "b"}, {"os", "x"}});
  define("n", {{"host", "c"}, {"os", "x"}});
  using Tagged = std::vector<TaggedSeries>;
  EXPECT_EQ(index_.tagged_series(tenant_, "m", {}),
            (Tagged{{"host", "a", {a}}, {"host", "b", {b}}, {"os", "x", {a, b}}}));
  EXPECT_EQ(index_.tagged_series(tenant_, "m", {"host", "a", 1}), (Tagged{{"host", "b", {b}}}));
  EXPECT_EQ(index_.tagged_series(tenant_, "m", {"host", "b~", 9}), (Tagged{{"os", "x", {a, b}}}));
  EXPECT_EQ(index_.tagged_series(tenant_, "m", {"os", "x", 9}), Tagged{});
  EXPECT_EQ(index_.tagged_series(tenant_, "none", {}), Tagged{});
  index_.forget(std::span(&a, 1), records_);
  EXPECT_EQ(index_.tagged_series(tenant_, "m", {.limit = 2}), (Tagged{{"host", "b", {b}}, {"os", "x", {b}}}));
}

}  // namespace
}  // namespace varve::index
