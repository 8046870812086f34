// SPDX-License-Identifier: Apache-2.0
#include "api/analytics/follower.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "language/analytics/followed_rows.h"
#include "message/builder.h"
#include "query/testing/given_news.h"

namespace varve::api {
namespace {

constexpr std::size_t kLedgerBytes = std::size_t{64} << 20;

// Messages as they are appended.
class Appended {
 public:
  struct More {
    std::string_view id = {}, object = {}, second_object = {};
  };
  Appended& add(std::int64_t time_us, std::string_view text, const More& more = {"", "", ""}) {
    builder_.start();
    EXPECT_TRUE(builder_.set(message::Column::text, text));
    if (!more.id.empty()) builder_.set_id(*read_uuid(more.id));
    for (const auto object : {more.object, more.second_object}) {
      EXPECT_TRUE(object.empty() || builder_.add_object(object));
    }
    builder_.finish(time_us);
    return *this;
  }
  [[nodiscard]] std::span<const std::byte> rows() const { return batch_.bytes(); }
  [[nodiscard]] message::RowView first() const { return {batch_.bytes().data()}; }

 private:
  message::Batch batch_;
  message::Builder builder_{batch_};
};

language::analytics::AnalyticsQuery parsed_question(const std::string& body) {
  const language::analytics::Tables tables;
  auto query = language::analytics::parse_query(body, {1000, tables, [](std::string_view) { return false; }});
  EXPECT_TRUE(query) << query.error().message;
  return std::move(*query);
}

class FollowedTest : public ::testing::Test {
 protected:
  void SetUp() override { ask("MessageTable", R"("Xmlmessage")", R"({"name":"Xmlmessage","value":"x","op":7})"); }

  void ask(const std::string& table, const std::string& select, const std::string& term) {
    question_ =
        parsed_question(R"({"table":")" + table + R"(","start_time":0,"end_time":1,"follow":true,"select_fields":[)" +
                        select + R"(],"where":[[)" + term + "]]}");
    followed_ = std::make_shared<query::Subscriptions>(news_, ledger_, clock_, &evaluations_, dropped_);
  }
  // One who has been told what is stored.
  std::shared_ptr<Follower> follower(std::int64_t first_us = 0) {
    auto out = follower_from_now_on(first_us);
    out->take_heard();
    return out;
  }
  std::shared_ptr<Follower> follower_from_now_on(std::int64_t first_us) {
    auto out = std::make_shared<Follower>(first_us);
    EXPECT_TRUE(
        followed_->add("t", "", [&] { return std::make_unique<language::analytics::FollowedRows>(question_); }, out));
    return out;
  }
  void look_at(std::span<const std::byte> rows) { news_.publish("t", rows); }
  // All that waits, and the end if it is one.
  static std::string taken(Follower& follower) {
    std::string out;
    while (!follower.wait([] {})) {
      std::string piece;  // a piece that is full is not added to
      const bool goes_on = follower.take(piece);
      out += piece;
      if (!goes_on) return out + "END";
    }
    return out;
  }

  std::shared_ptr<MemoryLedger> ledger_ = std::make_shared<MemoryLedger>(kLedgerBytes);
  ManualClock clock_;
  Counter evaluations_, dropped_;
  query::testing::GivenNews news_;
  language::analytics::AnalyticsQuery question_;
  std::shared_ptr<query::Subscriptions> followed_;
};

const std::string kOne = R"({"Xmlmessage":"x1"})"
                         "\n";
const std::string kTwo = R"({"Xmlmessage":"x2"})"
                         "\n";

TEST_F(FollowedTest, AMessageIsComparedOnceForAThousandFollowers) {
  std::vector<std::shared_ptr<Follower>> all;
  for (int i = 0; i < 1000; ++i) all.push_back(follower());
  look_at(Appended().add(1, "x1").add(2, "other").add(3, "x2").rows());
  EXPECT_EQ(evaluations_.value(), 3U);
  for (const auto& one : all) EXPECT_EQ(taken(*one), kOne + kTwo);
  // The lines are there once: their memory does not grow with those who wait for them.
  look_at(Appended().add(4, "x1").rows());
  EXPECT_GT(ledger_->held(), 0U);
  EXPECT_LT(ledger_->held(), 1024U);
  for (const auto& one : all) EXPECT_EQ(taken(*one), kOne);
  EXPECT_EQ(ledger_->held(), 0U);
  all.clear();
  EXPECT_EQ(followed_->subscribers(), 0U);
  look_at(Appended().add(5, "x1").rows());  // nobody asks
  EXPECT_EQ(evaluations_.value(), 4U);
}

TEST_F(FollowedTest, EachHasHisOwnStartAndLimit) {
  const auto early = follower(), late = follower(5), few = follower();
  few->limit(1);
  look_at(Appended().add(4, "x1").add(5, "x2").rows());
  EXPECT_EQ(taken(*early), kOne + kTwo);
  EXPECT_EQ(taken(*late), kTwo);
  EXPECT_EQ(taken(*few), kOne + "END");
  const auto none = follower();
  none->limit(0);
  EXPECT_EQ(taken(*none), "END");
}

TEST_F(FollowedTest, WhoWaitsIsToldOnce) {
  const auto one = follower();
  int told = 0;
  EXPECT_TRUE(one->wait([&] { ++told; }));
  look_at(Appended().add(1, "other").rows());
  EXPECT_EQ(told, 0);
  look_at(Appended().add(2, "x1").rows());
  look_at(Appended().add(3, "x2").rows());
  EXPECT_EQ(told, 1);
  EXPECT_EQ(taken(*one), kOne + kTwo);
  EXPECT_TRUE(one->wait([&] { ++told; }));
  news_.fail_all({Code::unavailable, "it ends"});
  EXPECT_EQ(told, 2);
  EXPECT_EQ(taken(*one), R"({"error":"it ends"})"
                         "\nEND");
  look_at(Appended().add(4, "x1").rows());
  EXPECT_EQ(taken(*one), R"({"error":"it ends"})"
                         "\nEND");
}

TEST_F(FollowedTest, WhoDoesNotReadIsToldThatSomeAreMissing) {
  const auto slow = follower(), quick = follower();
  const std::string text = "x" + std::string(Follower::kWaitingBytesMax / 4 - 100, 'y');
  for (int i = 0; i < 4; ++i) {
    look_at(Appended().add(i, text).rows());
    EXPECT_EQ(taken(*quick).size(), text.size() + 18);
  }
  EXPECT_EQ(dropped_.value(), 0U);
  look_at(Appended().add(4, text).rows());
  EXPECT_EQ(dropped_.value(), 1U);
  const std::string got = taken(*slow);
  EXPECT_GT(got.size(), 4 * text.size());
  EXPECT_LT(got.size(), 5 * text.size());
  EXPECT_TRUE(got.ends_with("some are missing\"}\nEND")) << got.substr(got.size() - 200);
  EXPECT_EQ(taken(*quick).size(), text.size() + 18);
}

TEST_F(FollowedTest, OneThatIsLongerThanMayWaitIsGivenAllTheSame) {
  const auto one = follower();
  look_at(Appended().add(1, "x" + std::string(message::kTextBytesMax - 1, '\x01')).rows());  // 6 MiB as JSON
  EXPECT_GT(taken(*one).size(), Follower::kWaitingBytesMax);
  EXPECT_EQ(dropped_.value(), 0U);
}

TEST_F(FollowedTest, WithoutMemoryAllAreTold) {
  ledger_ = std::make_shared<MemoryLedger>(1000);
  SetUp();
  const auto one = follower();
  look_at(Appended().add(1, "x" + std::string(2000, 'y')).rows());
  EXPECT_EQ(taken(*one), R"({"error":"requests hold all the memory of limits.memory"})"
                         "\nEND");
}

TEST_F(FollowedTest, AMessageOfTwoIdsIsTwoRowsAndOneMessage) {
  ask("ObjectVNTable", R"("MessageTS","ObjectId")", R"({"name":"ObjectId","value":"a","op":7})");
  const auto one = follower_from_now_on(0);
  Appended message;
  message.add(1, "x1", {"", "ObjectVNTable:a1", "ObjectVNTable:a2"});
  look_at(message.rows());
  look_at(Appended().add(2, "x2", {"", "ObjectVNTable:b", ""}).rows());
  query::Heard heard = one->take_heard();
  EXPECT_TRUE(heard.take(message.first()));
  EXPECT_FALSE(heard.take(message.first())) << "it came once";
  EXPECT_EQ(taken(*one), R"({"MessageTS":1,"ObjectId":"a1"})"
                         "\n"
                         R"({"MessageTS":1,"ObjectId":"a2"})"
                         "\n");
  look_at(message.rows());
  EXPECT_EQ(one->take_heard().bytes(), 0U) << "it is remembered until then";
}

TEST_F(FollowedTest, WhatASenderRepeatsComesOnce) {
  constexpr std::string_view kId = "0f8fad5b-d9cb-469f-a165-70867728950e";
  constexpr std::string_view kOther = "0f8fad5b-d9cb-469f-a165-70867728950f";
  const auto one = follower();
  look_at(Appended().add(1, "x1", {kId, "", ""}).add(1, "x1", {kId, "", ""}).rows());
  look_at(Appended().add(1, "x2", {kId, "", ""}).rows());
  EXPECT_EQ(taken(*one), kOne);
  look_at(Appended().add(2, "x1", {kId, "", ""}).add(1, "x2", {kOther, "", ""}).rows());
  EXPECT_EQ(taken(*one), kOne + kTwo);
  look_at(Appended().add(1, "x1").add(1, "x1").rows());  // without an id they are two
  EXPECT_EQ(taken(*one), kOne + kOne);
}

}  // namespace
}  // namespace varve::api
