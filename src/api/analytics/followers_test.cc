// SPDX-License-Identifier: Apache-2.0
#include "api/analytics/followers.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "api/shared/follow_meter.h"
#include "message/builder.h"

namespace varve::api {
namespace {

// Hands out what the test tells it.
class ToldNews final : public write::MessageNews {
 public:
  std::shared_ptr<const void> listen(std::string tenant, Listener listener) override {
    const auto at = listeners.emplace(std::move(tenant), std::move(listener));
    return {&listeners, [this, at](const void*) { listeners.erase(at); }};
  }
  Status settle(const std::string&, std::chrono::milliseconds) override { return {}; }
  void tell(const std::string& tenant, std::string_view text) {
    message::Batch batch;
    message::Builder builder(batch);
    builder.start();
    EXPECT_TRUE(builder.set(message::Column::text, text));
    builder.finish(5);
    for (auto [at, end] = listeners.equal_range(tenant); at != end; ++at) at->second(batch.bytes());
  }
  std::multimap<std::string, Listener> listeners;
};

class FollowersTest : public ::testing::Test {
 protected:
  Result<std::shared_ptr<Follower>> add(const std::string& tenant, const std::string& text,
                                        const std::string& more = "") {
    const std::string body = R"({"table":"MessageTable","start_time":0,"end_time":1,"follow":true,"select_fields":[)"
                             R"("Xmlmessage"],"where":[[{"name":"Xmlmessage","op":1,"value":")" +
                             text + "\"}]]" + more + "}";
    const language::analytics::Tables tables;
    auto asked = language::analytics::parse_query(body, {1000, tables, [](std::string_view) { return false; }});
    EXPECT_TRUE(asked) << asked.error().message;
    return followers_->add(tenant, body, *asked);
  }
  std::uint64_t compared() { return metrics_.counter("varve_followed_messages_total", "").value(); }
  static std::string taken(Follower& follower) {
    std::string out;
    while (!follower.wait([] {}) && follower.take(out)) {
    }
    return out;
  }
  [[nodiscard]] double shown(std::string_view name) const {
    for (const auto& sample : metrics_.samples()) {
      if (sample.name == name) return sample.value;
    }
    return -1;
  }

  ToldNews news_;
  Metrics metrics_;
  ManualClock clock_;
  std::shared_ptr<Followers> followers_ = std::make_shared<Followers>(news_, nullptr, clock_, metrics_);
};

const std::string kLine = R"({"Xmlmessage":"a"})"
                          "\n";

TEST_F(FollowersTest, OneQuestionForAllWhoAskTheSame) {
  Followers::register_metrics(followers_, metrics_);
  auto one = *add("t", "a"), same = *add("t", "a", R"(,"limit":7)"), other = *add("t", "b"), theirs = *add("u", "a");
  EXPECT_EQ(news_.listeners.count("t"), 2U);
  EXPECT_EQ(news_.listeners.count("u"), 1U);
  EXPECT_EQ(shown("varve_followers"), 4);
  EXPECT_EQ(shown("varve_followed_questions"), 3);
  news_.tell("t", "a");
  EXPECT_EQ(compared(), 2U);
  EXPECT_EQ(taken(*one), kLine);
  EXPECT_EQ(taken(*same), kLine);
  EXPECT_EQ(taken(*other), "");
  EXPECT_EQ(taken(*theirs), "");

  one = nullptr;
  EXPECT_EQ(news_.listeners.count("t"), 2U);
  same = nullptr;  // the last who asked this
  EXPECT_EQ(news_.listeners.count("t"), 1U);
  news_.tell("t", "a");
  EXPECT_EQ(compared(), 3U);
  one = *add("t", "a");
  news_.tell("t", "a");
  EXPECT_EQ(taken(*one), kLine);
  one = other = theirs = nullptr;
  EXPECT_TRUE(news_.listeners.empty());
  EXPECT_EQ(shown("varve_followers"), 0);
  EXPECT_EQ(shown("varve_followed_questions"), 0);
}

TEST_F(FollowersTest, ATenantHasAShareOfTheQuestions) {
  std::vector<std::shared_ptr<Follower>> all;
  for (std::size_t i = 0; i < kQuestionsOfTenantMost; ++i) all.push_back(*add("t", "a" + std::to_string(i)));
  EXPECT_EQ(add("t", "b").error().code, Code::unavailable);
  EXPECT_TRUE(add("t", "a0")) << "asked already";
  EXPECT_TRUE(add("u", "b"));
}

TEST_F(FollowersTest, AnExpressionThatCostsTooMuchEndsThem) {
  const std::string body = R"({"table":"MessageTable","start_time":0,"end_time":1,"follow":true,"select_fields":[)"
                           R"("Xmlmessage"],"where":[[{"name":"Xmlmessage","op":8,"value":"[ab]*a[ab]{900}x"}]]})";
  const language::analytics::Tables tables;
  const auto asked = language::analytics::parse_query(body, {1000, tables, [](std::string_view) { return false; }});
  const auto bad = *followers_->add("t", body, *asked), good = *add("t", "a");
  news_.tell("t", "a");
  EXPECT_EQ(taken(*good), kLine);
  EXPECT_EQ(taken(*bad), "");
  news_.tell("t", std::string(100'000, 'a'));
  EXPECT_TRUE(taken(*bad).starts_with(R"({"error":"a regular expression of )"));
}

TEST_F(FollowersTest, WhatIsMissingEndsThem) {
  const auto one = *add("t", "a");
  news_.listeners.begin()->second(fail(Code::unavailable, "too many came"));
  EXPECT_EQ(taken(*one), R"({"error":"too many came"})"
                         "\n");
}

TEST_F(FollowersTest, SoManyQuestionsAndNoMore) {
  std::vector<std::shared_ptr<Follower>> all;
  for (std::size_t i = 0; i < kQuestionsOfTenantMost; ++i) all.push_back(*add("t", std::to_string(i)));
  EXPECT_TRUE(add("u", "one more")) << "another tenant has questions of his own";
  const auto refused = add("t", "one more");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::unavailable);
  EXPECT_TRUE(add("t", "7"));  // somebody asks this already
  all.pop_back();
  EXPECT_TRUE(add("t", "one more"));
}

TEST_F(FollowersTest, SoManyFollowersAndNoMore) {
  std::vector<std::shared_ptr<Follower>> all;
  for (std::size_t i = 0; i < Followers::kMost; ++i) all.push_back(*add("t", "a"));
  EXPECT_FALSE(add("t", "a"));
  news_.tell("t", "a");
  EXPECT_EQ(compared(), 1U);
  EXPECT_EQ(taken(*all.front()), kLine);
  EXPECT_EQ(taken(*all.back()), kLine);
  all.pop_back();
  EXPECT_TRUE(add("t", "a"));
}

TEST(QuestionKey, IsWhatIsAskedOfEachMessage) {
  const std::string key =
      question_key(R"({"table":"T","select_fields":["a","b"],"where":[[{"name":"a","op":1,"value":"x"}]]})");
  for (const auto* same : {
           R"( { "where" : [ [ {"value":"x", "op":1, "name":"a"} ] ], "select_fields":["a","b"], "table":"T" } )",
           R"({"table":"T","select_fields":["a","b"],"where":[[{"name":"a","op":1,"value":"\u0078"}]]})",
           R"({"table":"T","select_fields":["a","b"],"where":[[{"name":"a","op":1,"value":"x"}]],"filter":null})",
           R"({"table":"T","start_time":1,"end_time":"now","limit":5,"follow":true,"select_fields":["a","b"],)"
           R"("where":[[{"name":"a","op":1,"value":"x"}]]})",
       }) {
    EXPECT_EQ(question_key(same), key) << same;
  }
  for (const auto* other : {
           R"({"table":"U","select_fields":["a","b"],"where":[[{"name":"a","op":1,"value":"x"}]]})",
           R"({"table":"T","select_fields":["b","a"],"where":[[{"name":"a","op":1,"value":"x"}]]})",
           R"({"table":"T","select_fields":["a","b"],"where":[[{"name":"a","op":2,"value":"x"}]]})",
           R"({"table":"T","select_fields":["a","b"],"where":[[{"name":"a","op":1,"value":"y"}]]})",
           R"({"table":"T","select_fields":["a","b"],"filter":[[{"name":"a","op":1,"value":"x"}]]})",
           R"({"table":"T","select_fields":["a","b"],"where":[[{"name":"a","op":1,"value":1}]]})",
           R"({"table":"T","select_fields":["a","b"],"where":[[{"name":"limit","op":1,"value":"x"}]]})",
           R"({"table":"T","select_fields":["a","b"]})",
       }) {
    EXPECT_NE(question_key(other), key) << other;
  }
}

}  // namespace
}  // namespace varve::api
