// SPDX-License-Identifier: Apache-2.0
#include "engine/shared/reconcile.h"

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <vector>

#include "engine/shared/shared_groups.h"
#include "engine/shared/testing/rows.h"

namespace varve::engine::shared {
namespace {

// Two groups of one host that share the metric b.
class Reconcile : public ::testing::Test {
 protected:
  Reconcile() {
    const model::Tags named = {{"host", "h"}};
    const auto tags = model::to_views(named);
    std::string definitions;
    const auto tenant = index_.tenant("t", definitions);
    const auto define = [&](std::vector<std::string_view> metrics, std::uint32_t ttl_s = 0) {
      return model::to_int(*index_.define_group(tenant, tags, metrics, 1000, definitions, ttl_s));
    };
    ab_ = define({"a", "b"});
    b_ = define({"b"});
    c_ = define({"c"});
    minute_ = define({"b"}, 60);
    hour_ = define({"b"}, 3600);
  }
  [[nodiscard]] std::vector<SharedGroup> listed(const std::vector<std::uint32_t>& groups) const {
    std::vector<SharedGroup> out;
    for (const std::uint32_t g : groups) {
      out.push_back({g, index_.group_ttl_s(model::GroupId{g}), index_.group_series(model::GroupId{g})});
    }
    return out;
  }

  index::SeriesIndex index_;
  std::uint32_t ab_ = 0, b_ = 0, c_ = 0, minute_ = 0, hour_ = 0;
};

TEST_F(Reconcile, groups_that_share_a_series_are_known) {
  SharedGroups shared;
  EXPECT_FALSE(shared.any());
  shared.catch_up(index_);
  EXPECT_TRUE(shared.any());
  EXPECT_TRUE(shared.contains(ab_));
  EXPECT_TRUE(shared.contains(b_));
  EXPECT_FALSE(shared.contains(c_));
  EXPECT_FALSE(shared.contains(1000));
}

TEST_F(Reconcile, what_lost_is_given_the_winners_value) {
  testing::Rows ab(RowForm::with_arrival, 2, 5, ab_);
  testing::Rows b(RowForm::with_arrival, 1, 6, b_);
  ab.longs(10, {1, 2});
  ab.longs(20, {1, 2});
  ab.longs(30, {1, 2});
  b.longs(10, {7});  // later than the other
  b.longs(20, {2});  // the same
  const auto groups = listed({ab_, b_});
  const auto patches = reconcile(groups, [&](SeriesMerge& merge, std::uint32_t group, std::uint16_t column) {
    merge.add_rows(group == ab_ ? ab.bytes() : b.bytes(), RowForm::with_arrival, column, 1);
    return Status{};
  });
  ASSERT_TRUE(patches);
  ASSERT_EQ(patches->size(), 1U);
  const auto& of_ab = patches->at(ab_);
  ASSERT_EQ(of_ab.size(), 1U);
  EXPECT_EQ(of_ab[0].time, 10);
  EXPECT_EQ(of_ab[0].column, 1U);
  EXPECT_EQ(of_ab[0].value, model::Value::of_long(7));
}

TEST_F(Reconcile, what_lives_shorter_is_not_given_to_what_lives_longer) {
  struct Put {
    Put(std::uint32_t of, std::uint32_t arrival) : group(of), rows(RowForm::with_arrival, 1, arrival, of) {}
    std::uint32_t group;
    testing::Rows rows;
  };
  std::deque<Put> puts;  // as they arrived
  const auto put = [&](std::uint32_t group, model::Timestamp time, std::int64_t value) {
    puts.emplace_back(group, static_cast<std::uint32_t>(puts.size())).rows.longs(time, {value});
  };
  put(b_, 10, 1), put(minute_, 10, 2), put(hour_, 10, 3);
  put(minute_, 20, 4), put(hour_, 20, 5), put(b_, 20, 6);
  put(hour_, 30, 7), put(b_, 30, 8), put(minute_, 30, 9);
  const auto groups = listed({b_, minute_, hour_});
  const auto patches = reconcile(groups, [&](SeriesMerge& merge, std::uint32_t group, std::uint16_t column) {
    for (const Put& one : puts) {
      if (one.group == group) merge.add_rows(one.rows.bytes(), RowForm::with_arrival, column, 1);
    }
    return Status{};
  });
  ASSERT_TRUE(patches);
  const auto shown = [&](std::uint32_t group) {
    std::map<model::Timestamp, std::int64_t> values;
    if (!patches->contains(group)) return values;
    for (const auto& patch : patches->at(group)) values[patch.time] = patch.value.as_long();
    return values;
  };
  using Values = std::map<model::Timestamp, std::int64_t>;
  EXPECT_EQ(shown(b_), Values{});
  EXPECT_EQ(shown(hour_), (Values{{20, 6}, {30, 8}}));
  EXPECT_EQ(shown(minute_), (Values{{10, 3}, {20, 6}}));
}

}  // namespace
}  // namespace varve::engine::shared
