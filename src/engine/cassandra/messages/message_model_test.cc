// SPDX-License-Identifier: Apache-2.0
// Random work of replicas that die, on a store that fails and a Redis that is lost, against a list of what was
// acknowledged: each of it is there once, whatever was sealed and dropped.
#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <utility>

#include "engine/cassandra/testing/message_replicas.h"

namespace varve::engine::cassandra::testing {
namespace {

class MessageModel {
 public:
  MessageModel(std::uint32_t seed, std::vector<message::ClassRule> rules)
      : random_(seed), cluster_(ClusterOptions{.message_rules = std::move(rules)}) {
    for (auto& replica : replicas_) replica = make();
  }

  void run(int steps) {
    for (int i = 0; i < steps; ++i) {
      step();
      if (i % 5 == 4) look();
      if (::testing::Test::HasFailure()) return;
    }
    settle_down();
    look();
    EXPECT_GT(acknowledged_.size(), 0U);
    EXPECT_GT(erased_, 0);
  }

 private:
  static constexpr std::int64_t kHour = 3'600'000;
  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  std::unique_ptr<ClusterReplica> make() { return std::make_unique<ClusterReplica>(cluster_, ++sources_); }
  ClusterReplica& one() { return *replicas_[below(replicas_.size())]; }

  void pass(std::int64_t ms) {
    for (; ms > 0; ms -= Watermark::kLeaseMs) {
      cluster_.clock.advance_ms(std::min(ms, Watermark::kLeaseMs));
      for (auto& replica : replicas_) std::ignore = replica->watermark.renew();
    }
  }

  void put() {
    ClusterReplica& replica = one();
    message::Batch batch;
    std::vector<std::string> texts;
    for (std::uint64_t n = 1 + below(20); n > 0; --n) {
      texts.push_back(std::to_string(++number_));
      const auto ago = static_cast<std::int64_t>(below(4) * static_cast<std::uint64_t>(kHour) + below(50) * 60'000);
      TestMessage message{(cluster_.clock.now_ms() - ago) * 1000, texts.back()};
      times_[message.text] = message.time_us;
      storage::testing::add_message(batch, message);
    }
    if (!replica.watermark.has_lease()) std::ignore = replica.watermark.renew();
    const auto told = std::make_shared<std::optional<Status>>();
    replica.message_appender.append("t", batch, [told](Status status) { *told = std::move(status); });
    if (replica.missed_touches.unheard()) {
      cluster_.clock.advance_ms(MissedTouches::kHeardMs);
      replica.missed_touches.tell_heard();
    }
    const bool good = *told && **told;
    (good ? acknowledged_ : maybe_).insert(texts.begin(), texts.end());
  }

  // Those of some time whose number ends so. Who dies or fails has deleted some of them.
  void erase() {
    ClusterReplica& replica = one();
    if (!replica.watermark.has_lease()) std::ignore = replica.watermark.renew();
    const std::string end = std::to_string(below(10));
    const auto condition =
        message::Condition::of(*message::make_term(message::Column::text, {}, message::Op::regex, ".*" + end));
    const std::int64_t last_us = (cluster_.clock.now_ms() - static_cast<std::int64_t>(below(4)) * kHour) * 1000;
    const std::int64_t first_us = last_us - static_cast<std::int64_t>(1 + below(3)) * kHour * 1000;
    std::set<std::string> known, perhaps;
    for (auto& [text, time_us] : times_) {
      if (!text.ends_with(end) || time_us < first_us || time_us > last_us) continue;
      if (acknowledged_.contains(text)) known.insert(text);
      if (maybe_.contains(text)) perhaps.insert(text);
    }
    const auto erased = replica.message_eraser.erase("t", first_us, last_us, condition, {});
    for (const std::string& text : known) {
      acknowledged_.erase(text);
      (erased ? gone_ : maybe_).insert(text);
    }
    if (!erased) return;
    ++erased_;
    EXPECT_GE(*erased, known.size());
    EXPECT_LE(*erased, known.size() + perhaps.size());
  }

  void die() {
    auto& replica = replicas_[below(replicas_.size())];
    cluster_.rows.let_write();
    bury(replica);
    pass(1000);
  }
  void bury(std::unique_ptr<ClusterReplica>& replica) {
    replica->kill();
    dead_.push_back(std::exchange(replica, make()));
  }

  void step() {
    switch (below(16)) {
      case 14:
      case 15: return erase();
      case 0: return die();
      case 1: return pass(static_cast<std::int64_t>(below(2 * kHour)));
      case 2: return cluster_.rows.fail_writes_after(below(12));
      case 3: std::ignore = one().worker.settle(); return;
      case 4: std::ignore = one().turns(); return;
      case 5: std::ignore = one().message_worker.drop([] { return true; }); return;
      case 6: return lose_redis();
      case 7: one().rows.kill_after(below(8), true); return;
      default: break;
    }
    cluster_.rows.let_write();
    put();
  }

  void lose_redis() {
    if (below(3) == 0) cluster_.redis.lose();
    for (auto& replica : replicas_) std::ignore = replica->missed_touches.turn();
  }

  void revive() {
    cluster_.rows.let_write();
    for (auto& replica : replicas_) {
      if (!replica->rows.dead()) {
        replica->rows.let_live();
        continue;
      }
      bury(replica);
    }
  }

  // All that ended is sealed, and what can be dropped is.
  void settle_down() {
    revive();
    for (int i = 0; i < 6; ++i) {
      pass(kHour + cluster_.options.quiet_ms);
      for (auto& replica : replicas_) EXPECT_TRUE(replica->missed_touches.turn());
      EXPECT_TRUE(one().turns());
      EXPECT_TRUE(one().message_worker.drop([] { return true; }));
    }
    EXPECT_EQ(cluster_.rows.size(cluster_.tables.messages), 0U);
    EXPECT_EQ(cluster_.rows.size(cluster_.tables.message_buckets), 0U);
  }

  void look() {
    revive();
    std::map<std::string, int> found;
    const std::int64_t now_us = cluster_.clock.now_ms() * 1000;
    const auto parts = one().message_reader.parts("t", now_us - 1000 * kHour * 1000, now_us + kHour * 1000);
    ASSERT_TRUE(parts);
    for (const auto& part : *parts) {
      const auto rows = storage::testing::PartRows::read(part, part.first_us, part.last_us);
      ASSERT_TRUE(rows) << rows.error().message;
      EXPECT_LE(rows->rows().size(), part.messages);
      for (const auto row : rows->rows()) ++found[storage::testing::test_message(row).text];
    }
    for (const std::string& text : acknowledged_) ASSERT_EQ(found[text], 1) << text;
    for (const auto& [text, count] : found) {
      if (count == 0) continue;
      ASSERT_EQ(count, 1) << text;
      ASSERT_FALSE(gone_.contains(text)) << text << " was deleted";
      ASSERT_TRUE(acknowledged_.contains(text) || maybe_.contains(text)) << text;
    }
  }

  std::mt19937_64 random_;
  Cluster cluster_;
  std::int64_t sources_ = 0;
  std::array<std::unique_ptr<ClusterReplica>, 3> replicas_;
  std::vector<std::unique_ptr<ClusterReplica>> dead_;
  std::uint64_t number_ = 0;
  std::set<std::string> acknowledged_, maybe_, gone_;
  std::map<std::string, std::int64_t> times_;
  int erased_ = 0;
};

void run_models(std::uint32_t seeds, const std::vector<message::ClassRule>& rules) {
  for (std::uint32_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    MessageModel(seed, rules).run(120);
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(MessageModel, random_work_loses_nothing_and_repeats_nothing) { run_models(12, {}); }

TEST(MessageModel, nor_does_it_with_classes) {
  const auto rule = [](std::string name, std::string text) {
    return message::ClassRule{.name = std::move(name),
                              .retention_ms = rollup::kForEver,
                              .column = message::Column::text,
                              .value = std::move(text),
                              .is_prefix = true};
  };
  run_models(6, {rule("one", "1"), rule("two", "2"), rule("one", "3")});
}

}  // namespace
}  // namespace varve::engine::cassandra::testing
