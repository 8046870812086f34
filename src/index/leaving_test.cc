// SPDX-License-Identifier: Apache-2.0
// What is gone leaves an index that others go on to change.
#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "index/series_index.h"

namespace varve::index {
namespace {

constexpr unsigned kPods = 6000;

std::span<const std::byte> log_bytes(const std::string& records) { return std::as_bytes(std::span(records)); }

// Others come to the index whenever the lock is given up.
class Others final : public Turns {
 public:
  explicit Others(std::function<void()> work) : work_(std::move(work)) {}
  void leave() override {
    ++turns;
    work_();
  }
  void enter() override {}
  Status go_on() override { return turns > last_turn ? Status(fail(Code::cancelled, "enough")) : Status(); }

  unsigned turns = 0;
  unsigned last_turn = 1'000'000;

 private:
  std::function<void()> work_;
};

class Leaving : public testing::Test {
 protected:
  Leaving() { begin(); }
  void begin() {
    index = SeriesIndex();
    records.clear();
    static_cast<void>(index.tenant("t", records));
    for (unsigned pod = 0; pod < kPods; ++pod) define(pod);
    std::vector<model::SeriesId> gone;
    for (unsigned pod = 0; pod < kPods; ++pod) {
      if (pod % 4 != 0) gone.insert(gone.end(), {model::SeriesId{2 * pod}, model::SeriesId{2 * pod + 1}});
    }
    index.forget(gone, records);
  }

  static std::string name(unsigned pod) { return "pod-" + std::to_string(pod); }
  model::GroupId define(unsigned pod) {
    const std::string pod_name = name(pod);
    const std::string own_metric = "restarts_" + pod_name;
    const model::TagViews tags{{"node", pod % 8 < 4 ? "a" : "b"}, {"pod", pod_name}};
    const std::string_view metrics[] = {"cpu", own_metric};
    return index.define_group(model::TenantId{0}, tags, metrics, 1'000'000, records).value();
  }
  std::size_t pods() { return index.tag_values(model::TenantId{0}, "", "pod", {}).size(); }

  // As an engine does it. False: it has to be tried again.
  bool leave(Turns* turns = nullptr) {
    const std::size_t before = records.size();
    std::string left, left_out;
    EXPECT_TRUE(index.dump_what_is_left(left, left_out, turns));
    SeriesIndex other;
    EXPECT_TRUE(other.replay(log_bytes(left)));
    const Status caught_up = other.catch_up(log_bytes(records).subspan(before));
    if (!caught_up) why = caught_up.error().message;
    if (!caught_up) return false;
    index.exchange(other);
    records += left_out;
    return true;
  }
  // What a start makes of the log, with and without what the database keeps instead of its beginning.
  void compare_with_log() {
    std::string now, from_log, from_both;
    index.dump(now);
    SeriesIndex all;
    const Status replayed = all.replay(log_bytes(records));
    ASSERT_TRUE(replayed) << replayed.error().message;
    all.dump(from_log);
    ASSERT_EQ(from_log, now);
    SeriesIndex both;
    ASSERT_TRUE(both.replay(log_bytes(now)));
    ASSERT_TRUE(both.replay(log_bytes(records)));
    both.dump(from_both);
    ASSERT_EQ(from_both, now);
    ASSERT_EQ(all.metric_names(model::TenantId{0}, {}), index.metric_names(model::TenantId{0}, {}));
  }

  SeriesIndex index;
  std::string records;
  std::string why;  // it has to be tried again
};

TEST_F(Leaving, memory_and_names_follow_what_is_left) {
  const std::size_t before = index.memory_bytes();
  ASSERT_TRUE(leave()) << why;
  EXPECT_LT(index.memory_bytes(), before * 3 / 4);
  EXPECT_EQ(index.series_count(), kPods / 2);
  EXPECT_EQ(index.series_end(), 2 * kPods);
  EXPECT_EQ(index.forgotten_count(), 0U);
  EXPECT_EQ(pods(), kPods / 4);
  compare_with_log();
  // One that comes back is another one.
  EXPECT_EQ(index.group_series(define(1)).front(), model::SeriesId{2 * kPods});
  EXPECT_EQ(pods(), kPods / 4 + 1);
  compare_with_log();
  ASSERT_TRUE(leave()) << why;
  compare_with_log();
}

TEST_F(Leaving, what_has_left_has_nothing) {
  ASSERT_TRUE(leave()) << why;
  const model::SeriesId gone{2};
  EXPECT_TRUE(index.is_forgotten(gone));
  EXPECT_EQ(index.series_tenant(gone), model::kNoTenant);
  EXPECT_EQ(index.metric(gone), "");
  EXPECT_TRUE(index.tags(gone).empty());
  std::vector<Place> places;
  index.places(gone, places);
  EXPECT_TRUE(places.empty());
  EXPECT_TRUE(index.group_series(model::GroupId{1}).empty());
  EXPECT_EQ(index.group_tenant(model::GroupId{1}), model::kNoTenant);
  EXPECT_TRUE(index.group_names(model::GroupId{1}).metrics.empty());
}

TEST_F(Leaving, views_stay_with_a_pin) {
  const auto pin = index.pin();
  const auto series = index.group_series(model::GroupId{1});
  const std::string_view metric = index.metric(series[1]);
  ASSERT_TRUE(leave()) << why;
  EXPECT_EQ(series[0], model::SeriesId{2});
  EXPECT_EQ(metric, "restarts_pod-1");
}

TEST_F(Leaving, others_define_and_forget_meanwhile) {
  unsigned next = kPods;
  unsigned forgotten = 0;
  Others others([&] {
    const auto group = define(next++);
    if (next % 3 == 0) {
      const std::vector<model::SeriesId> both(index.group_series(group).begin(), index.group_series(group).end());
      index.forget(both, records);
      if (next % 2 == 0) index.revive(group, records);
      forgotten += next % 2 == 0 ? 0 : 1;
    }
    define(4 * (next % 1000));
  });
  ASSERT_TRUE(leave(&others)) << why;
  EXPECT_GT(others.turns, 30U);
  EXPECT_EQ(pods(), kPods / 4 + (next - kPods) - forgotten);
  compare_with_log();
}

// Its names are known, and its series are not.
TEST_F(Leaving, it_is_tried_again_where_something_is_needed_again) {
  struct Case {
    unsigned at, pod;
    bool leaves;
  };
  for (const Case& one : {Case{1, 5001, true}, Case{1, 5, false}, Case{12, 3001, false}, Case{20, 5501, false},
                          Case{30, 1001, false}, Case{40, 2001, false}}) {
    SCOPED_TRACE(one.pod);
    unsigned turn = 0;
    Others others([&] {
      if (++turn == one.at) define(one.pod);
    });
    const std::size_t before = pods();
    EXPECT_EQ(leave(&others), one.leaves) << why;
    EXPECT_EQ(pods(), before + 1);
    compare_with_log();
    if (one.leaves) begin();
  }
  ASSERT_TRUE(leave()) << why;
  compare_with_log();
}

TEST_F(Leaving, it_ends_when_it_is_told_to) {
  Others others([] {});
  others.last_turn = 5;
  std::string left, left_out;
  const auto status = index.dump_what_is_left(left, left_out, &others);
  EXPECT_EQ(status.error().code, Code::cancelled);
  EXPECT_LE(others.turns, 7U);
}

}  // namespace
}  // namespace varve::index
