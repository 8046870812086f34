// SPDX-License-Identifier: Apache-2.0
// Which pages may have a tag: never too few, and only some where tags lie together.
#include "index/tag_set_spans.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>

#include "index/series_index.h"

namespace varve::index {
namespace {

using Pages = std::set<std::uint32_t>;

TEST(TagSetSpans, OfNoneOverlapsNone) {
  TagSetSpans spans;
  EXPECT_FALSE(spans.of(7).overlaps({0, kNone - 1}));
  spans.reserve(3 * TagSetSpans::kOfPage);
  EXPECT_FALSE(spans.of(2).overlaps({0, kNone - 1}));
  spans.add(3 * TagSetSpans::kOfPage, 5);
  spans.add(3 * TagSetSpans::kOfPage + 1, 3);
  EXPECT_TRUE(spans.of(3).overlaps({5, 9}));
  EXPECT_TRUE(spans.of(3).overlaps({0, 3}));
  EXPECT_TRUE(spans.of(3).overlaps({4, 4}));
  EXPECT_FALSE(spans.of(3).overlaps({6, 9}));
  EXPECT_FALSE(spans.of(3).overlaps({0, 2}));
}

class SpansOfTagsTest : public testing::Test {
 protected:
  void define(int host, const std::string& zone, std::vector<std::string_view> metrics) {
    const std::string name = std::to_string(host);
    const std::string rack = std::to_string(host / 500);
    const auto group = index_.define_group(tenant_, {{"host", name}, {"rack", rack}, {"zone", zone}}, metrics,
                                           1'000'000, definitions_);
    ASSERT_TRUE(group);
  }
  // By tag: the pages of series and of groups in which it is.
  void list() {
    std::vector<std::uint32_t> numbers;
    for (std::uint32_t group = 0; group < index_.group_count(); ++group) {
      for (const model::SeriesId series : index_.group_series(model::GroupId{group})) {
        index_.tag_numbers(series, numbers);
        for (const std::uint32_t tag : numbers) {
          in_series_[tag].insert(model::to_int(series) / TagSetSpans::kOfPage);
          in_groups_[tag].insert(group / TagSetSpans::kOfPage);
        }
      }
    }
  }
  Pages series_pages(std::uint32_t tag) const {
    Pages pages;
    for (std::uint32_t page = 0; page * TagSetSpans::kOfPage < index_.series_end(); ++page) {
      if (index_.span_of_tag(tag).overlaps(index_.span_of_series(page))) pages.insert(page);
    }
    return pages;
  }
  Pages group_pages(std::uint32_t tag) const {
    Pages pages;
    for (std::uint32_t page = 0; page * TagSetSpans::kOfPage < index_.group_count(); ++page) {
      if (index_.span_of_tag(tag).overlaps(index_.span_of_groups(page))) pages.insert(page);
    }
    return pages;
  }

  SeriesIndex index_;
  std::string definitions_;
  model::TenantId tenant_ = index_.tenant("t", definitions_);
  std::map<std::uint32_t, Pages> in_series_;
  std::map<std::uint32_t, Pages> in_groups_;
};

TEST_F(SpansOfTagsTest, NamesEachPageThatHasTheTag) {
  std::mt19937 random(4);
  for (int host = 0; host < 6000; ++host) define(host, host % 2 == 0 ? "a" : "b", {"m", "n"});
  for (int i = 0; i < 2000; ++i) {  // series and groups that come later, of tag sets that are known
    const int host = static_cast<int>(random() % 6000);
    define(host, host % 2 == 0 ? "a" : "b", {i % 2 == 0 ? "late" : "m"});
  }
  list();
  ASSERT_GT(in_series_.size(), 6000U);
  for (const auto& [tag, pages] : in_series_) {
    const Pages named = series_pages(tag);
    EXPECT_TRUE(std::ranges::includes(named, pages)) << tag;
  }
  for (const auto& [tag, pages] : in_groups_) {
    const Pages named = group_pages(tag);
    EXPECT_TRUE(std::ranges::includes(named, pages)) << tag;
  }
}

TEST_F(SpansOfTagsTest, OfTagsThatLieTogetherNamesTheirPagesOnly) {
  for (int host = 0; host < 6000; ++host) define(host, "a", {"m", "n"});
  list();
  for (const char* rack : {"0", "3", "11"}) {
    const auto tag = index_.find_tag(tenant_, "rack", rack);
    ASSERT_TRUE(tag);
    EXPECT_EQ(series_pages(*tag), in_series_[*tag]) << rack;
    EXPECT_EQ(group_pages(*tag), in_groups_[*tag]) << rack;
    EXPECT_LE(in_series_[*tag].size(), 2U);
  }
}

TEST_F(SpansOfTagsTest, AreTheSameAfterAReplay) {
  for (int host = 0; host < 6000; ++host) define(host, "a", {"m", "n"});
  SeriesIndex again;
  ASSERT_TRUE(again.replay(std::as_bytes(std::span(definitions_))));
  list();
  for (const auto& [tag, pages] : in_series_) {
    EXPECT_EQ(again.span_of_tag(tag).first, index_.span_of_tag(tag).first);
    EXPECT_EQ(again.span_of_tag(tag).last, index_.span_of_tag(tag).last);
  }
  for (std::uint32_t page = 0; page < 13; ++page) {
    EXPECT_EQ(again.span_of_series(page).first, index_.span_of_series(page).first);
    EXPECT_EQ(again.span_of_series(page).last, index_.span_of_series(page).last);
    EXPECT_EQ(again.span_of_groups(page).first, index_.span_of_groups(page).first);
    EXPECT_EQ(again.span_of_groups(page).last, index_.span_of_groups(page).last);
  }
}

}  // namespace
}  // namespace varve::index
