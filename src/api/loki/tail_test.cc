// SPDX-License-Identifier: Apache-2.0
// Who follows a Loki query is told what is stored and what comes, each once.
#include <gtest/gtest.h>

#include "api/loki/routes.h"
#include "api/testing/waiting_sink.h"
#include "http/url.h"
#include "http/websocket_feed.h"
#include "language/logql/tail_lines.h"
#include "message/id.h"
#include "query/testing/given_news.h"
#include "query/testing/message_parts.h"
#include "storage/testing/memory_store.h"

namespace varve::api {
namespace {

using query::testing::GivenNews;
using query::testing::MessageParts;

constexpr std::int64_t kTailNowUs = 1'700'000'000'000'000;

void add_line(message::Batch& batch, std::string_view job, std::string_view text, std::int64_t us = kTailNowUs - 1000,
              std::string_view id = {}) {
  message::Builder builder(batch);
  builder.start();
  if (!id.empty()) {
    message::Id given{};
    std::ranges::copy(id, given.begin());
    builder.set_id(given);
  }
  ASSERT_TRUE(builder.add_field("job", message::FieldForm::text, job));
  ASSERT_TRUE(builder.set(message::Column::text, text));
  builder.finish(us);
}

std::string streams(const std::string& lines) { return R"({"streams":[)" + lines + R"(],"dropped_entries":[]})"; }
const std::string kStored = R"({"stream":{"job":"a"},"values":[["1699999999999000000","stored"]]})";
const std::string kLive = R"({"stream":{"job":"a"},"values":[["1699999999999000000","live"]]})";

class LokiTail : public ::testing::Test {
 protected:
  LokiTail() {
    add_line(stored_, "a", "stored");
    add_line(stored_, "b", "another");
    add_line(live_, "a", "live");
    add_line(live_, "b", "another");
  }
  void start() {
    parts_ = std::make_unique<MessageParts>(stored_, MessageParts::Kept::hot);
    add_loki_questions(router_, {*parts_, engine_, pool_, clock_, metrics_, 1000, &news_});
  }
  Response ask(const std::string& parameters) {
    Request request;
    request.method = Method::get;
    request.tenant = "t";
    request.gone = std::make_shared<std::atomic<bool>>(false);
    request.headers = {{"upgrade", "websocket"},
                       {"connection", "Upgrade"},
                       {"sec-websocket-version", "13"},
                       {"sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="}};
    EXPECT_TRUE(http::parse_target("/loki/api/v1/tail?" + parameters, request.path, request.query));
    return answer_of(router_, request);
  }
  static std::string text_of_frame(std::string_view text) {
    std::string out;
    http::append_frame(out, http::FrameKind::text, text);
    return out;
  }
  static std::string taken(const Response& response) {
    std::string out;
    if (response.feed != nullptr) response.feed->take(out);
    return out;
  }

  // To the end of the feed.
  static std::string all_taken(const Response& response) {
    std::string all;
    for (bool more = true; more;) {
      std::string piece;
      more = response.feed->take(piece);
      all += piece;
    }
    return all;
  }

  message::Batch stored_, live_;
  GivenNews news_;
  std::unique_ptr<MessageParts> parts_;
  storage::testing::MemoryStore store_;
  ManualClock clock_{kTailNowUs / 1000};
  query::Engine engine_{store_, store_, clock_, {}};
  TaskPool pool_{1};
  Metrics metrics_;
  Router router_;
};

TEST_F(LokiTail, WhatIsStoredAndThenWhatComes) {
  start();
  const Response response = ask("query=%7Bjob=%22a%22%7D");
  ASSERT_EQ(response.status, 101) << response.body;
  news_.publish("other", live_);
  news_.publish("t", live_);
  EXPECT_EQ(taken(response), text_of_frame(streams(kStored)) + text_of_frame(streams(kLive)));
}

TEST_F(LokiTail, WhatIsStoredAndHeardComesOnce) {
  add_line(stored_, "a", "live");
  news_.meanwhile = &live_;
  start();
  const Response response = ask("query=%7Bjob=%22a%22%7D");
  EXPECT_EQ(taken(response), text_of_frame(streams(kStored)) + text_of_frame(streams(kLive)));
}

TEST_F(LokiTail, APushThatComesAgainIsShownOnce) {
  start();
  const Response response = ask("query=%7Bjob=%22a%22%7D&limit=0");
  message::Batch pushed, without;
  add_line(pushed, "a", "live", kTailNowUs - 1000, "loki");
  for (int i = 0; i < 3; ++i) news_.publish("t", pushed);
  EXPECT_EQ(taken(response), text_of_frame(streams(kLive)));
  add_line(without, "a", "live");
  for (int i = 0; i < 2; ++i) news_.publish("t", without);
  EXPECT_EQ(taken(response), text_of_frame(streams(kLive)) + text_of_frame(streams(kLive))) << "they are two messages";
}

TEST_F(LokiTail, LimitsAndStages) {
  start();
  EXPECT_EQ(taken(ask("query=%7Bjob=%22a%22%7D&limit=0")), "");
  EXPECT_EQ(taken(ask("query=%7Bjob=%22a%22%7D&start=1699999999999000001")), "");
  EXPECT_EQ(taken(ask("query=%7Bjob=~%22.%2B%22%7D%7C=%22sto%22")), text_of_frame(streams(kStored)));
  EXPECT_EQ(ask("query=%7Bjob=%22a%22%7D&delay_for=2").status, 400);
  EXPECT_EQ(ask("query=%7Bjob=%22a%22%7D&limit=1001").status, 400);
  EXPECT_EQ(ask("query=rate(%7Bjob=%22a%22%7D%5B1m%5D)").status, 400);
  EXPECT_EQ(ask("query=%7B").status, 400);
}

TEST_F(LokiTail, OneQuestionForAllWhoAskIt) {
  start();
  const Response one = ask("query=%7Bjob=%22a%22%7D&limit=0"), two = ask("query=%7Bjob=%22a%22%7D");
  EXPECT_EQ(news_.listeners.size(), 1U);
  const Response other = ask("query=%7Bjob=%22b%22%7D");
  EXPECT_EQ(news_.listeners.size(), 2U);
}

TEST_F(LokiTail, AnExpressionThatCostsTooMuchEndsIt) {
  start();
  const Response response = ask("query=%7Bjob=%22a%22%7D%7C~%22%5Bab%5D*a%5Bab%5D%7B900%7Dx%22&limit=0");
  ASSERT_EQ(response.status, 101) << response.body;
  message::Batch large;
  add_line(large, "a", std::string(100'000, 'a'));
  news_.publish("t", large);
  EXPECT_TRUE(taken(response).contains("a regular expression of "));
}

TEST_F(LokiTail, ATenantHasAShareOfTheQuestions) {
  start();
  std::vector<Response> all;
  for (std::size_t i = 0; i < query::Subscriptions::kQuestionsOfTenantMost; ++i) {
    all.push_back(ask("limit=0&query=%7Bjob=%22a%22%7D%7C=%22" + std::to_string(i) + "%22"));
    ASSERT_EQ(all.back().status, 101);
  }
  EXPECT_EQ(ask("limit=0&query=%7Bjob=%22b%22%7D").status, 503);
  EXPECT_EQ(ask("limit=0&query=%7Bjob=%22a%22%7D%7C=%220%22").status, 101);
}

TEST_F(LokiTail, WhatWaitsIsInTheLedger) {
  const auto ledger = std::make_shared<MemoryLedger>(std::size_t{3} << 20);
  query::Engine engine(store_, store_, clock_, {}, ledger);
  parts_ = std::make_unique<MessageParts>(stored_, MessageParts::Kept::hot);
  add_loki_questions(router_, {*parts_, engine, pool_, clock_, metrics_, 1000, &news_});
  Response one = ask("query=%7Bjob=%22a%22%7D&limit=0");
  const Response two = ask("query=%7Bjob=%22a%22%7D&limit=0");
  ASSERT_EQ(two.status, 101) << two.body;
  message::Batch large;
  add_line(large, "a", std::string(1'000'000, 'x'));
  news_.publish("t", large);
  const std::size_t held = ledger->held(MemoryLedger::Kind::answer);
  EXPECT_GT(held, 1'000'000U);
  EXPECT_LT(held, 1'100'000U) << "two wait for one text";
  for (int i = 0; i < 3; ++i) news_.publish("t", large);
  EXPECT_LE(ledger->held(), ledger->limit());
  EXPECT_TRUE(all_taken(two).ends_with("requests hold all the memory of limits.memory"));
  one.feed = nullptr;
  EXPECT_EQ(ledger->held(MemoryLedger::Kind::answer), 0U);
}

TEST_F(LokiTail, SlowReadersAreTold) {
  start();
  const Response response = ask("query=%7Bjob=%22a%22%7D&limit=0");
  message::Batch large;
  add_line(large, "a", std::string(1'000'000, 'x'));  // a text has 1 MiB at most
  for (int i = 0; i < 6; ++i) news_.publish("t", large);
  const std::string all = all_taken(response);
  EXPECT_TRUE(
      all.contains(R"({"streams":[],"dropped_entries":[{"timestamp":"1699999999999000000","labels":{"job":"a"}}]})"));
  EXPECT_TRUE(all.ends_with("messages come faster than they are read"));
  EXPECT_LT(all.size(), http::WebSocketFeed::kWaitingBytesMax + 10'000);
}

TEST(LokiTailLines, WhatIsDroppedIsNamed) {
  message::Batch batch;
  add_line(batch, "a", "x");
  language::logql::TailLines lines({}, {});
  query::Findings found(nullptr);
  lines.finish(found);
  EXPECT_TRUE(found.text.empty());
  ASSERT_TRUE(lines.asks_for({batch.bytes().data()}));
  lines.append(found);
  lines.finish(found);
  EXPECT_EQ(found.text, streams(R"({"stream":{"job":"a"},"values":[["1699999999999000000","x"]]})"));
  EXPECT_EQ(found.missed,
            R"({"streams":[],"dropped_entries":[{"timestamp":"1699999999999000000","labels":{"job":"a"}}]})");
}

}  // namespace
}  // namespace varve::api
