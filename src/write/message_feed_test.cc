// SPDX-License-Identifier: Apache-2.0
#include "write/message_feed.h"

#include <gtest/gtest.h>

#include <future>
#include <string>
#include <vector>

#include "base/clock.h"
#include "write/refusals.h"
#include "write/tenant_figures.h"

namespace varve::write {
namespace {

// Keeps what it is to append until the test lets it.
class HeldStore final : public storage::MessageStore {
 public:
  void append_messages(std::string_view, const message::Batch&, AppendDone done) override {
    held.push_back(std::move(done));
  }
  [[nodiscard]] Result<std::vector<storage::MessagePart>> message_parts(std::string_view, std::int64_t,
                                                                        std::int64_t) const override {
    return {};
  }
  [[nodiscard]] Result<storage::MessageNames> message_names(std::string_view) const override { return {}; }
  Result<std::uint64_t> delete_messages(std::string_view, std::int64_t, std::int64_t, const message::Condition&,
                                        const storage::GoOn&) override {
    return fail(Code::unsupported, "a store that is read");
  }
  [[nodiscard]] storage::MessageArrivals* arrivals_elsewhere() override { return elsewhere; }
  std::vector<AppendDone> held;
  storage::MessageArrivals* elsewhere = nullptr;
};

// What another process appends, when the test says so.
class Elsewhere final : public storage::MessageArrivals {
 public:
  std::shared_ptr<const void> listen(std::string tenant, Listener listener) override {
    EXPECT_EQ(tenant, "t");
    call = std::move(listener);
    ++listening;
    return {static_cast<const void*>(this), [this](const void*) { --listening; }};
  }
  Status settle(std::chrono::milliseconds) override {
    ++settled;
    return {};
  }
  Listener call;
  int listening = 0, settled = 0;
};

struct MessageFeedTest : ::testing::Test {
  void append(const std::string& tenant, const std::string& text) {
    message::Batch batch;
    message::Builder builder(batch);
    builder.start();
    EXPECT_TRUE(builder.set(message::Column::text, text));
    builder.finish(5);
    feed.append_messages(tenant, batch, [this](const Status& status) { answers.push_back(status.has_value()); });
  }
  std::shared_ptr<const void> listen(const std::string& tenant) {
    return feed.listen(tenant, [this](const Result<std::span<const std::byte>>& rows) {
      ASSERT_TRUE(rows);
      ASSERT_EQ(message::check_row(rows->data(), rows->data() + rows->size()), rows->size());
      heard.emplace_back(message::RowView{rows->data()}.cell(message::Column::text)->text);
    });
  }
  void settle() { ASSERT_TRUE(feed.settle("t", std::chrono::seconds(60))); }

  HeldStore store;
  Metrics metrics;
  std::vector<bool> answers;
  std::vector<std::string> heard;  // of the feed's thread; after settle() the test's
  ManualClock clock;
  Refusals refusals{clock};
  TenantFigures figures;
  MessageFeed feed{store, metrics, {&refusals, &figures}};
};

TEST_F(MessageFeedTest, HandsOutWhatOtherProcessesAppendOnceToEach) {
  Elsewhere elsewhere;
  store.elsewhere = &elsewhere;
  auto one = listen("t"), two = listen("t");
  EXPECT_EQ(elsewhere.listening, 1) << "for both";
  message::Batch batch;
  message::Builder builder(batch);
  builder.start();
  EXPECT_TRUE(builder.set(message::Column::text, "far"));
  builder.finish(5);
  elsewhere.call(batch.bytes());
  settle();
  EXPECT_EQ(elsewhere.settled, 1);
  EXPECT_EQ(heard, (std::vector<std::string>{"far", "far"}));
  one = nullptr;
  EXPECT_EQ(elsewhere.listening, 1);
  two = nullptr;
  EXPECT_EQ(elsewhere.listening, 0);
  one = listen("t");
  EXPECT_EQ(elsewhere.listening, 1);
  one = nullptr;
  store.elsewhere = nullptr;
}

TEST_F(MessageFeedTest, HandsOutWhatIsStoredToThoseWhoListen) {
  append("t", "before anybody listens");
  auto listens = listen("t");
  append("t", "1");
  append("other", "another tenant's");
  append("t", "refused");
  append("t", "2");
  for (std::size_t i = 0; i < store.held.size(); ++i) {
    store.held[i](i == 3 ? Status(fail(Code::unavailable, "full")) : Status{});
  }
  settle();
  EXPECT_EQ(answers, (std::vector{true, true, true, false, true}));
  EXPECT_EQ(refusals.told(), "writes are refused: full");
  EXPECT_EQ(figures.messages("t").value(), 3U);
  EXPECT_EQ(figures.messages("other").value(), 1U);
  EXPECT_EQ(heard, (std::vector<std::string>{"1", "2"}));
  listens = nullptr;
  append("t", "after");
  store.held.back()({});
  settle();
  EXPECT_EQ(heard.size(), 2U);
}

TEST_F(MessageFeedTest, ATenantThatHadLessTimeIsNext) {
  std::promise<void> given, goes_on;
  std::vector<std::string> order;
  const auto slow = feed.listen("t", [&](const auto&) {
    order.emplace_back("t");
    given.set_value();
    goes_on.get_future().wait();
  });
  const auto note = [&order](const char* who) { return [&order, who](const auto&) { order.emplace_back(who); }; };
  const auto second = feed.listen("t", note("t")), third = feed.listen("t", note("t")),
             theirs = feed.listen("u", note("u"));
  append("t", "1");
  append("u", "1");
  store.held[0]({});
  given.get_future().wait();
  store.held[1]({});
  goes_on.set_value();
  settle();
  ASSERT_TRUE(feed.settle("u", std::chrono::seconds(60)));
  EXPECT_EQ(order, (std::vector<std::string>{"t", "u", "t", "t"}));
}

TEST_F(MessageFeedTest, OneTenantDoesNotWaitForAnother) {
  append("t", "under way");
  EXPECT_TRUE(feed.settle("u", std::chrono::seconds(60)));
  store.held[0]({});
  settle();
}

TEST_F(MessageFeedTest, SettlesOnceOlderAppendsHaveEnded) {
  append("t", "older");
  EXPECT_EQ(feed.settle("t", std::chrono::milliseconds(1)).error().code, Code::unavailable);
  auto settled = std::async(std::launch::async, [&] { return feed.settle("t", std::chrono::seconds(60)); });
  append("t", "newer, which may be waited for or not");
  store.held[0]({});
  store.held[1]({});
  EXPECT_TRUE(settled.get());
  append("t", "under way");
  store.held[2](fail(Code::unavailable, "full"));
  settle();
}

TEST_F(MessageFeedTest, DoesNotWaitForNewerAppends) {
  append("t", "older");
  store.held[0]({});
  settle();
  const auto listens = listen("t");
  settle();
  append("t", "newer");
  store.held[1]({});
  settle();
  EXPECT_EQ(heard, std::vector<std::string>{"newer"});
}

TEST_F(MessageFeedTest, SaysThatSomeAreMissing) {
  std::promise<void> open;
  std::promise<Error> told;
  const auto listens = feed.listen(
      "t", [&, gate = open.get_future().share(), said = false](const Result<std::span<const std::byte>>& rows) mutable {
        if (rows) return gate.wait();
        if (!std::exchange(said, true)) told.set_value(rows.error());
      });
  for (int i = 0; i < 80; ++i) append("t", std::string(1 << 20, 'x'));
  for (auto& done : store.held) done({});  // 80 MiB, and the first one is still being looked at
  EXPECT_EQ(told.get_future().get().code, Code::unavailable);
  EXPECT_GT(metrics.counter("varve_message_feed_lost_total", "").value(), 0U);
  EXPECT_EQ(answers.size(), 80U);  // writers did not wait
  open.set_value();
  settle();
}

}  // namespace
}  // namespace varve::write
