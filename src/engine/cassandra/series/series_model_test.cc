// SPDX-License-Identifier: Apache-2.0
// Random work of three replicas, compared with plain sets: what was acknowledged and not erased since is found by all,
// what was erased by none. Stores fail, Redis goes away and is lost, replicas start anew, and with a retention what is
// older leaves their directories. The same seed does the same.
#include <gtest/gtest.h>

#include <random>

#include "engine/cassandra/series/testing/replica.h"

namespace varve::engine::cassandra::testing {
namespace {

class SeriesModel {
 public:
  explicit SeriesModel(std::uint32_t seed, const SeriesOptions& options = {}) : options_(options), random_(seed) {
    for (auto& replica : replicas_) replica = std::make_unique<Replica>(shared_, options_);
  }

  void run(int steps) {
    for (int i = 0; i < steps && !::testing::Test::HasFailure(); ++i) {
      SCOPED_TRACE("step " + std::to_string(i));
      shared_.clock.advance_ms(pick(3) == 0 ? 0 : pick(2000));
      const auto what = pick(100);
      if (what < 50)
        append(*replicas_[pick(3)]);
      else if (what < 58)
        erase();
      else if (what < 70)
        look(*replicas_[pick(3)]);
      else if (what < 80)
        (void)replicas_[pick(3)]->listen();
      else if (what < 84)
        interrupted_append();
      else if (what < 87)
        restart();
      else if (what < 89)
        shared_.clock.advance_ms(pick(2) == 0 ? kIndexBucketMs / 3 : 70'000);
      else if (what < 91)
        redis_away();
      else if (what < 92)
        shared_.versions.lose();
      else if (what < 94 && options_.retention_ms != rollup::kForEver)
        leave();
      else if (what < 98)
        erase_while_another_appends();
      else
        settle();
    }
    settle();
  }
  [[nodiscard]] std::size_t have_left() const { return have_left_; }

 private:
  std::uint32_t pick(std::uint32_t below) {
    return std::uniform_int_distribution<std::uint32_t>(0, below - 1)(random_);
  }
  std::string metric() { return "m" + std::to_string(pick(4)); }
  std::string host() { return "h" + std::to_string(pick(3)); }

  struct Line {
    std::vector<std::string> metrics;
    std::string host;
  };
  Line line() {
    Line out{{}, host()};
    for (int m = 0; m < 4; ++m) {
      if (pick(2) == 0) out.metrics.push_back("m" + std::to_string(m));
    }
    if (out.metrics.empty()) out.metrics.push_back(metric());
    return out;
  }

  Status try_append(Replica& replica, const Line& what) {
    const auto group = replica.group(what.metrics, what.host);
    const auto bucket = shared_.bucket() - static_cast<std::int64_t>(pick(8) == 0 ? 3 : 0) * kIndexBucketMs;
    const Status status = replica.append(group, bucket);
    if (!status) return status;
    for (const auto& metric : what.metrics) {
      const auto [known, is_new] = present_[metric].try_emplace(what.host, bucket);
      known->second = std::max(known->second, bucket);
    }
    return {};
  }
  void append(Replica& replica) { ASSERT_TRUE(try_append(replica, line())); }

  void interrupted_append() {
    Replica& replica = *replicas_[pick(3)];
    const Line what = line();
    shared_.rows.fail_writes_after(pick(8));
    const Status first = try_append(replica, what);
    if (!first) unsure_.insert(what.host);
    shared_.rows.let_write();
    if (pick(2) == 0) {
      ASSERT_TRUE(try_append(replica, what));
    }
  }

  // Everybody has heard of what was forgotten before: within a second nothing is promised.
  void listen_all() {
    for (auto& replica : replicas_) ASSERT_TRUE(replica->listen());
  }

  // Of what is older than the retention it may be that nobody finds anything to forget.
  void erased(const std::string& metric, const std::string& host) {
    auto& hosts = present_[metric];
    if (const auto at = hosts.find(host); at != hosts.end() && is_kept(at->second)) hosts.erase(at);
  }

  void erase() {
    listen_all();
    const auto what = metric(), of = host();
    shared_.clock.advance_ms(200);
    replicas_[pick(3)]->erase(what, of);
    erased(what, of);
    shared_.clock.advance_ms(200);
  }

  void erase_while_another_appends() {
    listen_all();
    const auto eraser = pick(3);
    Replica& other = *replicas_[(eraser + 1 + pick(2)) % 3];
    const Line what = line();
    const auto gone = what.metrics[pick(static_cast<std::uint32_t>(what.metrics.size()))];
    auto left = pick(6);
    bool done = false;
    shared_.clock.advance_ms(200);
    shared_.rows.before_write([&](const MemoryRows::Change&) -> Status {
      if (done || left-- > 0) return {};
      done = true;
      shared_.clock.advance_ms(pick(3));
      return try_append(other, what);
    });
    replicas_[eraser]->erase(gone, what.host);
    shared_.rows.before_write({});
    shared_.clock.advance_ms(200);
    if (!done) erased(gone, what.host);
    listen_all();
  }

  void restart() {
    const auto which = pick(3);
    listen_all();
    replicas_[which] = std::make_unique<Replica>(shared_, options_);
  }

  // Some weeks later, and told for as long as it takes.
  void leave() {
    shared_.clock.advance_ms((pick(2) == 0 ? 8 : pick(4)) * kIndexBucketMs);
    Replica& replica = *replicas_[pick(3)];
    const std::size_t before = replica.series_count();
    for (int i = 0; i < 3; ++i) {
      ASSERT_TRUE(replica.listen());
      shared_.clock.advance_ms(660'000);
      if (pick(2) == 0) append(replica);
    }
    have_left_ += before > replica.series_count() ? 1 : 0;
  }

  void redis_away() {
    listen_all();
    shared_.versions.away(true);
    append(*replicas_[pick(3)]);
    append(*replicas_[pick(3)]);
    shared_.versions.away(false);
    listen_all();
  }

  void look(Replica& replica) {
    listen_all();
    const auto what = metric();
    check(replica, what);
  }

  void settle() {
    listen_all();
    Replica fresh(shared_, options_);
    for (int m = 0; m < 4; ++m) {
      const auto what = "m" + std::to_string(m);
      for (auto& replica : replicas_) check(*replica, what);
      check(fresh, what);
    }
    const auto tenant = *fresh.find_tenant("t");
    if (!tenant) return;
    const auto names = fresh.metric_names(*tenant, {});
    ASSERT_TRUE(names);
    for (const auto& [metric, hosts] : present_) {
      const bool is_there = std::ranges::any_of(hosts, [this](const auto& host) { return is_kept(host.second); });
      EXPECT_TRUE(!is_there || std::ranges::binary_search(*names, metric)) << metric;
    }
  }

  [[nodiscard]] bool is_kept(model::Timestamp bucket) const {
    return options_.retention_ms == rollup::kForEver || bucket > shared_.clock.now_ms() - options_.retention_ms;
  }

  // Announcements that failed half-way may show what nobody has acknowledged.
  void check(Replica& replica, const std::string& metric) {
    const auto found = replica.hosts(metric);
    ASSERT_TRUE(found);
    for (const auto& [host, bucket] : present_[metric]) {
      EXPECT_TRUE(!is_kept(bucket) || std::ranges::binary_search(*found, host))
          << metric << " of " << host << " is lost";
    }
    for (const auto& host : *found) {
      EXPECT_TRUE(present_[metric].contains(host) || unsure_.contains(host)) << metric << " of " << host << " is back";
    }
  }

  const SeriesOptions options_;
  Shared shared_;
  std::array<std::unique_ptr<Replica>, 3> replicas_;
  std::mt19937 random_;
  std::map<std::string, std::map<std::string, model::Timestamp>> present_;  // metric: hosts, and for when at the latest
  std::size_t have_left_ = 0;
  std::set<std::string> unsure_;
};

class SeriesModelTest : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(SeriesModelTest, ThreeReplicasAgree) { SeriesModel(GetParam()).run(400); }
INSTANTIATE_TEST_SUITE_P(Seeds, SeriesModelTest, ::testing::Range(1U, 21U));

TEST(SeriesLeavingModelTest, what_is_gone_leaves) {
  std::size_t have_left = 0;
  for (std::uint32_t seed = 1; seed < 13; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    SeriesModel model(seed, {.directory = {}, .retention_ms = 4 * kIndexBucketMs, .gone_series_min = 1});
    model.run(400);
    have_left += model.have_left();
  }
  EXPECT_GT(have_left, 10U);
}

}  // namespace
}  // namespace varve::engine::cassandra::testing
