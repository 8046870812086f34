// SPDX-License-Identifier: Apache-2.0
#include "query/messages/subscriptions.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/regex.h"
#include "query/testing/given_news.h"

namespace varve::query {
namespace {

// Asks for messages whose text matches, and says the text.
class TextMatches final : public FollowedQuestion {
 public:
  explicit TextMatches(const std::string& expression) : regex_(*Regex::compile(expression)) {}
  bool asks_for(message::RowView row) override {
    text_ = row.cell(message::Column::text)->text;
    return regex_.matches(text_);
  }
  void append(Findings& out) override { out.text.append(text_).append(";"); }

 private:
  const Regex regex_;
  std::string text_;
};

class Listening final : public Subscriber {
 public:
  bool give(const std::shared_ptr<const Findings>& found) override {
    heard += found->text;
    return !is_full;
  }
  void fail_with(const Error& error, std::string_view) override { heard += "END " + error.message; }
  std::string heard;
  bool is_full = false;
};

class SubscriptionsTest : public ::testing::Test {
 protected:
  std::shared_ptr<Listening> add(const std::string& tenant, const std::string& expression) {
    auto out = std::make_shared<Listening>();
    const auto make = [&] { return std::make_unique<TextMatches>(expression); };
    const Status added = subscriptions_->add(tenant, expression, make, out);
    if (added) return out;
    EXPECT_EQ(added.error().code, Code::unavailable);
    return nullptr;
  }

  testing::GivenNews news_;
  ManualClock clock_;
  Counter compared_, dropped_;
  std::shared_ptr<MemoryLedger> ledger_ = std::make_shared<MemoryLedger>(std::size_t{64} << 20);
  std::shared_ptr<Subscriptions> subscriptions_ =
      std::make_shared<Subscriptions>(news_, ledger_, clock_, &compared_, dropped_);
};

TEST_F(SubscriptionsTest, OneQuestionForAllWhoAskTheSame) {
  auto one = add("t", "a"), same = add("t", "a"), other = add("t", "b"), theirs = add("u", "a");
  EXPECT_EQ(news_.listeners.count("t"), 2U);
  EXPECT_EQ(news_.listeners.count("u"), 1U);
  EXPECT_EQ(subscriptions_->subscribers(), 4U);
  EXPECT_EQ(subscriptions_->questions(), 3U);
  news_.publish("t", "a");
  EXPECT_EQ(compared_.value(), 2U);
  EXPECT_EQ(one->heard, "a;");
  EXPECT_EQ(same->heard, "a;");
  EXPECT_EQ(other->heard, "");
  EXPECT_EQ(theirs->heard, "");

  one = nullptr;
  EXPECT_EQ(news_.listeners.count("t"), 2U);
  same = nullptr;  // the last who asked this
  EXPECT_EQ(news_.listeners.count("t"), 1U);
  news_.publish("t", "a");
  EXPECT_EQ(compared_.value(), 3U);
  one = add("t", "a");
  news_.publish("t", "a");
  EXPECT_EQ(one->heard, "a;");
  one = other = theirs = nullptr;
  EXPECT_TRUE(news_.listeners.empty());
  EXPECT_EQ(subscriptions_->subscribers(), 0U);
  EXPECT_EQ(subscriptions_->questions(), 0U);
  EXPECT_EQ(ledger_->held(), 0U);
}

TEST_F(SubscriptionsTest, AnExpressionThatCostsTooMuchEndsThoseWhoAskIt) {
  const auto bad = add("t", "[ab]*a[ab]{900}x"), good = add("t", "a+");
  news_.publish("t", "a");
  EXPECT_EQ(good->heard, "a;");
  EXPECT_EQ(bad->heard, "");
  news_.publish("t", std::string(100'000, 'a'));
  EXPECT_TRUE(bad->heard.starts_with("END a regular expression of ")) << bad->heard;
  EXPECT_EQ(good->heard.size(), 2U + 100'001U);
}

TEST_F(SubscriptionsTest, WhatIsMissingEndsThem) {
  const auto one = add("t", "a");
  news_.fail_all({Code::unavailable, "too many came"});
  EXPECT_EQ(one->heard, "END too many came");
}

TEST_F(SubscriptionsTest, WithoutMemoryAllAreTold) {
  const auto one = add("t", "a+");
  news_.publish("t", "a");
  EXPECT_GT(ledger_->held(), 0U) << "it is remembered";
  one->take_heard();
  EXPECT_EQ(ledger_->held(), 0U);
  ledger_ = std::make_shared<MemoryLedger>(1000);
  subscriptions_ = std::make_shared<Subscriptions>(news_, ledger_, clock_, &compared_, dropped_);
  const auto two = add("t", "a+");
  news_.publish("t", std::string(2000, 'a'));
  EXPECT_EQ(two->heard, "END requests hold all the memory of limits.memory");
  EXPECT_EQ(dropped_.value(), 0U);
}

TEST_F(SubscriptionsTest, WhoHasNoRoomIsCounted) {
  const auto one = add("t", "a"), two = add("t", "a");
  two->is_full = true;
  news_.publish("t", "a");
  EXPECT_EQ(dropped_.value(), 1U);
}

TEST_F(SubscriptionsTest, WhatIsHeardIsTakenAsOftenAsItCame) {
  const auto one = add("t", "a");
  message::Batch batch;
  message::Builder builder(batch);
  for (const char* const text : {"a", "a", "b"}) {
    builder.start();
    ASSERT_TRUE(builder.set(message::Column::text, text));
    builder.finish(5);
  }
  news_.publish("t", batch);
  Heard heard = one->take_heard();
  EXPECT_GT(heard.bytes(), 0U);
  const message::RowView a{batch.bytes().data()}, second{a.at + a.bytes()}, b{second.at + second.bytes()};
  EXPECT_FALSE(heard.take(b));
  EXPECT_TRUE(heard.take(a));
  EXPECT_TRUE(heard.take(second));
  EXPECT_FALSE(heard.take(a));
  news_.publish("t", batch);
  EXPECT_EQ(one->heard, "a;a;a;a;");
  EXPECT_EQ(one->take_heard().bytes(), 0U) << "nobody asks any more";
}

TEST_F(SubscriptionsTest, SoManyQuestionsAndNoMore) {
  std::vector<std::shared_ptr<Listening>> all;
  for (std::size_t i = 0; i < Subscriptions::kQuestionsOfTenantMost; ++i) {
    all.push_back(add("t", std::to_string(i)));
    ASSERT_TRUE(all.back());
  }
  EXPECT_TRUE(add("u", "one more")) << "another tenant has questions of his own";
  EXPECT_FALSE(add("t", "one more"));
  EXPECT_TRUE(add("t", "7")) << "somebody asks this already";
  all.pop_back();
  EXPECT_TRUE(add("t", "one more"));
}

TEST_F(SubscriptionsTest, SoManySubscribersAndNoMore) {
  std::vector<std::shared_ptr<Listening>> all;
  for (std::size_t i = 0; i < Subscriptions::kMost; ++i) all.push_back(add("t", "a"));
  EXPECT_FALSE(add("t", "a"));
  news_.publish("t", "a");
  EXPECT_EQ(compared_.value(), 1U);
  EXPECT_EQ(all.front()->heard, "a;");
  EXPECT_EQ(all.back()->heard, "a;");
  all.pop_back();
  EXPECT_TRUE(add("t", "a"));
}

}  // namespace
}  // namespace varve::query
