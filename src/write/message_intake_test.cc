// SPDX-License-Identifier: Apache-2.0
#include "write/message_intake.h"

#include <gtest/gtest.h>

#include <optional>

#include "message/builder.h"

namespace varve::write {
namespace {

using message::Column;

class MessageIntakeTest : public ::testing::Test {
 protected:
  MessageIntakeTest()
      : intake_({.classes = {{}, 10},
                 .future_ms = 5,
                 .disk = {{85, 80, 7}, {95, 90, 3}},
                 .backlog = {{50, 40, 6}},
                 .disk_percent = [this] { return ++asked_, disk_; },
                 .backlog_percent = [this] { return backlog_; }},
                clock_, metrics_) {}

  // Is such a message taken by these limits?
  static bool takes(const protocol::messages::Limits& limits, std::optional<int> level,
                    std::optional<int> kind = std::nullopt) {
    message::Batch batch;
    message::Builder builder(batch);
    builder.start();
    if (level) builder.set(Column::level, std::int64_t{*level});
    if (kind) builder.set(Column::kind, std::int64_t{*kind});
    builder.finish(1);
    return static_cast<bool>(limits.check_row(message::RowView{batch.bytes().data()}));
  }
  double shed(std::string_view level) {
    for (const auto& sample : metrics_.samples()) {
      if (sample.name == "varve_messages_shed_total" && sample.labels[0].second == level) return sample.value;
    }
    return -1;
  }

  double disk_ = 0;
  double backlog_ = 0;
  int asked_ = 0;
  ManualClock clock_{1'700'000'000'000};
  Metrics metrics_;
  MessageIntake intake_;
};

TEST_F(MessageIntakeTest, WithRoomTimesAreAskedForOnly) {
  const auto limits = intake_.limits();
  EXPECT_FALSE(limits.asks_rows());
  EXPECT_EQ(limits.first_us, 1'700'000'000'000'000 - 10'000);
  EXPECT_EQ(limits.last_us, 1'700'000'000'000'000 + 5'000);
  EXPECT_FALSE(intake_.is_shedding());
  EXPECT_EQ(shed("debug"), 0);
}

TEST_F(MessageIntakeTest, TheLeastSevereGoFirstAndUvesBeforeThem) {
  disk_ = 85;
  const auto limits = intake_.limits();
  EXPECT_TRUE(intake_.is_shedding());
  EXPECT_FALSE(takes(limits, 7));
  EXPECT_FALSE(takes(limits, 100));
  EXPECT_TRUE(takes(limits, 6));
  EXPECT_TRUE(takes(limits, std::nullopt));  // counts as info
  EXPECT_FALSE(takes(limits, 0, 6));         // a UVE
  EXPECT_TRUE(takes(limits, 6, 7));
  intake_.count(limits);
  EXPECT_EQ(shed("debug"), 2);
  EXPECT_EQ(shed("emerg"), 1);
  EXPECT_EQ(limits.shed->total(), 3U);
}

TEST_F(MessageIntakeTest, TheStricterGaugeCountsAndIsNamed) {
  disk_ = 86;
  backlog_ = 55;
  const auto limits = intake_.limits();
  EXPECT_FALSE(takes(limits, 6));
  EXPECT_FALSE(takes(limits, std::nullopt));
  EXPECT_TRUE(takes(limits, 5));
  EXPECT_NE(limits.shed->why.find("level info"), std::string::npos);
  EXPECT_NE(limits.shed->why.find("messages.shed.backlog"), std::string::npos);
  intake_.count(limits);
  EXPECT_EQ(shed("none"), 1);
  backlog_ = 39;
  EXPECT_NE(intake_.limits().shed->why.find("messages.shed.disk"), std::string::npos);
}

TEST_F(MessageIntakeTest, TheDiskIsAskedOnceASecond) {
  for (int i = 0; i < 3; ++i) static_cast<void>(intake_.limits());
  EXPECT_EQ(asked_, 1);
  disk_ = 99;
  EXPECT_FALSE(intake_.is_shedding());
  clock_.advance_ms(1000);
  EXPECT_TRUE(intake_.is_shedding());
  EXPECT_FALSE(takes(intake_.limits(), 3));
  EXPECT_TRUE(takes(intake_.limits(), 2));
  EXPECT_EQ(asked_, 2);
}

TEST_F(MessageIntakeTest, AClassHasItsOwnRetention) {
  message::ClassRule audit{.name = "audit", .retention_ms = 20, .value = "Audit"};
  message::ClassRule brief{.name = "brief", .retention_ms = 5, .value = "B", .is_prefix = true};
  MessageIntake intake({.classes = {{audit, brief}, 10}, .future_ms = 5}, clock_, metrics_);
  const auto limits = intake.limits();
  ASSERT_TRUE(limits.asks_rows());
  const std::int64_t now_us = clock_.now_ms() * 1000;
  EXPECT_EQ(limits.first_us, now_us - 20'000);
  const auto refused = [&](std::string_view type, std::int64_t age_us) {
    message::Batch batch;
    message::Builder builder(batch);
    builder.start();
    if (!type.empty()) static_cast<void>(builder.set(Column::type, type));
    builder.finish(now_us - age_us);
    const Status status = limits.check_row(message::RowView{batch.bytes().data()});
    return status ? std::string() : status.error().message.substr(status.error().message.find(" is ") + 1);
  };
  EXPECT_EQ(refused("Audit", 20'000), "");
  EXPECT_EQ(refused("Audit", 20'001), "is older than messages.classes keep 'audit'");
  EXPECT_EQ(refused("", 10'000), "");
  EXPECT_EQ(refused("", 10'001), "is older than messages.retention");
  EXPECT_EQ(refused("Bx", 5'000), "");
  EXPECT_EQ(refused("Bx", 5'001), "is older than messages.classes keep 'brief'");
}

}  // namespace
}  // namespace varve::write
