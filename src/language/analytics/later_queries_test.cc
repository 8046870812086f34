// SPDX-License-Identifier: Apache-2.0
// Queries that are answered later: on one process with its memory, and on two that share texts.
#include "language/analytics/later_queries.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <future>
#include <optional>

#include "query/testing/parts_store.h"
#include "storage/testing/memory_store.h"

namespace varve::language::analytics {
namespace {

// Texts that go when their time is over.
class PassingTextsInMemory final : public storage::PassingTexts {
 public:
  explicit PassingTextsInMemory(const Clock& clock) : clock_(clock) {}
  Status put_passing_text(const storage::TextName& name, std::string_view text, std::chrono::seconds life) override {
    VARVE_RETURN_IF_ERROR(storage::check_text_name(name));
    VARVE_RETURN_IF_ERROR(storage::check_text(text));
    const MutexLock lock(mutex_);
    texts_[key_of(name)] = {std::string(text), clock_.now_ms() + life.count() * 1000};
    return {};
  }
  [[nodiscard]] Result<std::optional<std::string>> passing_text(const storage::TextName& name) const override {
    const MutexLock lock(mutex_);
    const auto found = texts_.find(key_of(name));
    if (found == texts_.end() || found->second.second <= clock_.now_ms()) return std::optional<std::string>();
    return std::optional(found->second.first);
  }

 private:
  static std::string key_of(const storage::TextName& name) {
    return name.tenant + '\0' + name.service + '\0' + name.service_key + '\0' + name.key;
  }
  const Clock& clock_;
  mutable Mutex mutex_;
  std::map<std::string, std::pair<std::string, std::int64_t>> texts_ VARVE_GUARDED_BY(mutex_);
};

constexpr std::string_view kAll =
    R"({"table":"MessageTable","start_time":0,"end_time":1000,"select_fields":["Xmlmessage"]})";

class LaterQueriesTest : public ::testing::Test {
 protected:
  LaterQueriesTest() { messages_.add({{10, "a", 1}, {20, "b", 2}}); }

  MessageSource source_of(std::uint64_t rows_max) { return {messages_, engine_, clock_, rows_max}; }
  MessageSource source() { return source_of(1000); }
  std::shared_ptr<KeptResults> in_memory() { return std::make_shared<ResultsInMemory>(clock_, ledger_); }
  // Waits for what has been begun.
  void finish() { pool_.reset(); }
  static std::string whole(KeptResults& results, const QueryName& name) {
    std::string out;
    const auto state = results.state(name).value();
    for (std::uint32_t i = 0; state && i < state->parts; ++i) out += *results.part(name, i).value();
    return out;
  }
  static int status_of(Code code) { return code == Code::limit ? 403 : 500; }
  static constexpr std::int64_t kLifeMs = kResultLifeUs / 1000;

  ManualClock clock_;
  std::shared_ptr<MemoryLedger> ledger_ = std::make_shared<MemoryLedger>(std::size_t{64} << 20);
  storage::testing::MemoryStore store_;
  query::testing::PartsStore messages_;
  query::Engine engine_{store_, store_, clock_, {}, ledger_};
  std::optional<TaskPool> pool_{std::in_place, 1};
};

TEST_F(LaterQueriesTest, AResultCanBeReadUntilItsTimeIsOver) {
  PassingTextsInMemory texts(clock_);
  for (const auto& results :
       {in_memory(), std::shared_ptr<KeptResults>(std::make_shared<ResultsInTexts>(clock_, texts, 60'000))}) {
    pool_.emplace(1U);
    LaterQueries queries(source(), *pool_, results, status_of);
    const auto id = queries.begin("t", std::string(kAll));
    ASSERT_TRUE(id) << id.error().message;
    finish();
    const auto state = results->state({"t", *id}).value();
    ASSERT_TRUE(state);
    EXPECT_EQ(state->shown_progress(), 100);
    EXPECT_EQ(state->rows, 2U);
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(whole(*results, {"t", *id}), R"({"value":[{"Xmlmessage":"a"},{"Xmlmessage":"b"}]})");
    }
    EXPECT_EQ(state_json(*state, "/analytics/query/" + *id, state->told_us + 1'500'000),
              R"({"progress":100,"chunks":[{"progress":100,"start_time":0,"end_time":1000,"href":"/analytics/query/)" +
                  *id + R"(/chunk-final/0","ttl":298,"lines":1,"count":2}]})");
    EXPECT_EQ(results->state({"other", *id}).value(), std::nullopt);
    EXPECT_EQ(results->state({"t", "0"}).value(), std::nullopt);
    clock_.advance_ms(kLifeMs);
    EXPECT_TRUE(results->state({"t", *id}).value());
    clock_.advance_ms(1);
    EXPECT_FALSE(results->state({"t", *id}).value());
    clock_.advance_ms(kResultGraceUs / 1000 + 1000);
    results->sweep();
    EXPECT_EQ(results->bytes(), 0U);
  }
  EXPECT_EQ(ledger_->held(), 0U);
}

TEST_F(LaterQueriesTest, EveryReplicaHasTheResult) {
  PassingTextsInMemory texts(clock_);
  LaterQueries one(source(), *pool_, std::make_shared<ResultsInTexts>(clock_, texts, 60'000), status_of);
  ResultsInTexts other(clock_, texts, 60'000);
  const auto id = one.begin("t", std::string(kAll)).value();
  EXPECT_TRUE(other.state({"t", id}).value());
  finish();
  EXPECT_EQ(whole(other, {"t", id}).size(),
            std::string_view(R"({"value":[{"Xmlmessage":"a"},{"Xmlmessage":"b"}]})").size());
  // One that nobody runs any more.
  QueryState state;
  state.told_us = clock_.now_ms() * 1000;
  ASSERT_TRUE(other.put_state({"t", "lost"}, state));
  EXPECT_EQ(other.state({"t", "lost"}).value()->shown_progress(), 0);
  clock_.advance_ms(60'001);
  EXPECT_EQ(other.state({"t", "lost"}).value()->status, 500);
  EXPECT_EQ(other.state({"t", "lost"}).value()->shown_progress(), -EIO);
}

TEST_F(LaterQueriesTest, WhatIsWrongIsSaidAtOnce) {
  LaterQueries queries(source(), *pool_, in_memory(), status_of);
  EXPECT_EQ(queries.begin("t", "{").error().code, Code::invalid);
  EXPECT_EQ(queries.begin("t", R"({"table":"X","start_time":0,"end_time":1,"select_fields":["Source"]})").error().code,
            Code::not_found);
  EXPECT_EQ(engine_.running().list("t").size(), 0U);
  EXPECT_EQ(queries.results()->bytes(), 0U);
}

TEST_F(LaterQueriesTest, FailuresAndKilledOnesAreListed) {
  LaterQueries queries(source(), *pool_, in_memory(), status_of);
  std::promise<void> go;
  ASSERT_TRUE(pool_->post([wait = go.get_future().share()] { wait.wait(); }));
  messages_.fails = true;
  const auto failing = queries.begin("t", std::string(kAll)).value();
  const auto killed = queries.begin("t", std::string(kAll)).value();
  ASSERT_EQ(queries.list("t").pending.size(), 2U);
  EXPECT_EQ(queries.list("t").pending[0].text, kAll);
  EXPECT_EQ(queries.list("other").pending.size(), 0U);
  EXPECT_FALSE(engine_.running().kill("other", killed));
  EXPECT_TRUE(engine_.running().kill("t", killed));
  go.set_value();
  finish();
  const auto lists = queries.list("t");
  EXPECT_TRUE(lists.pending.empty() && lists.processed.empty());
  ASSERT_EQ(lists.failed.size(), 1U);
  EXPECT_EQ(lists.failed[0].id, failing);
  EXPECT_EQ(lists.failed[0].progress, -EIO);
  EXPECT_EQ(lists.failed[0].error, "damaged");
  ASSERT_EQ(lists.abandoned.size(), 1U);
  EXPECT_EQ(lists.abandoned[0].id, killed);
  EXPECT_EQ(queries.results()->state({"t", killed}).value()->status, 403);
  EXPECT_TRUE(engine_.running().list("t").empty());
  EXPECT_TRUE(queries.list("other").failed.empty());
  clock_.advance_ms(kLifeMs + 1);
  EXPECT_TRUE(queries.list("t").failed.empty());
}

// Says when something is kept.
class ResultsWatched final : public KeptResults {
 public:
  explicit ResultsWatched(std::shared_ptr<KeptResults> below) : below_(std::move(below)) {}
  Status put_state(const QueryName& query, const QueryState& state) override {
    on_state(state);
    return below_->put_state(query, state);
  }
  [[nodiscard]] Result<std::optional<QueryState>> state(const QueryName& query) override {
    return below_->state(query);
  }
  Status put_part(const QueryName& query, std::uint32_t number, std::string part) override {
    on_part(number);
    return below_->put_part(query, number, std::move(part));
  }
  [[nodiscard]] Result<std::shared_ptr<const std::string>> part(const QueryName& query, std::uint32_t number) override {
    return below_->part(query, number);
  }
  std::function<void(const QueryState&)> on_state = [](const auto&) {};
  std::function<void(std::uint32_t)> on_part = [](auto) {};

 private:
  const std::shared_ptr<KeptResults> below_;
};

TEST_F(LaterQueriesTest, AFailureIsListedBeforeItIsTold) {
  const auto results = std::make_shared<ResultsWatched>(in_memory());
  LaterQueries queries(source(), *pool_, results, status_of);
  std::vector<std::size_t> listed;
  results->on_state = [&](const QueryState& state) {
    const auto lists = queries.list("t");
    if (state.ended) listed = {lists.pending.size(), lists.processed.size(), lists.failed.size()};
  };
  messages_.fails = true;
  ASSERT_TRUE(queries.begin("t", std::string(kAll)));
  finish();
  EXPECT_EQ(listed, (std::vector<std::size_t>{0, 0, 1}));
}

TEST_F(LaterQueriesTest, ProgressIsShownWhileItRuns) {
  std::vector<query::testing::PartsStore::Message> many;
  for (int i = 0; i < 9000; ++i) {
    many.push_back({100 + i / 10, std::string(300, 'x'), static_cast<std::uint64_t>(i + 3)});
  }
  messages_.add(many);
  const auto results = std::make_shared<ResultsWatched>(in_memory());
  LaterQueries queries(source_of(10'000), *pool_, results, status_of);
  std::vector<int> progress;
  results->on_part = [&](std::uint32_t) {
    const auto running = queries.list("t").processed;
    ASSERT_EQ(running.size(), 1U);
    progress.push_back(running[0].progress);
  };
  const auto id = queries.begin("t", std::string(kAll)).value();
  finish();
  EXPECT_EQ(results->state({"t", id}).value()->rows, 9002U);
  ASSERT_GT(progress.size(), 4U);
  EXPECT_TRUE(std::ranges::is_sorted(progress));
  EXPECT_GT(progress.front(), 15);
  EXPECT_GT(progress.back(), progress.front() + 30);
  EXPECT_LT(progress.back(), 90);
}

TEST_F(LaterQueriesTest, WhatRunsIsCancelledWhenTheServerStops) {
  const auto results = in_memory();
  std::promise<void> go;
  ASSERT_TRUE(pool_->post([wait = go.get_future().share()] { wait.wait(); }));
  std::string id;
  {
    LaterQueries queries(source(), *pool_, results, status_of);
    id = queries.begin("t", std::string(kAll)).value();
  }
  go.set_value();
  finish();
  EXPECT_NE(results->state({"t", id}).value()->status, 0);
}

TEST_F(LaterQueriesTest, MemoryIsBoundedAndCounted) {
  ledger_ = std::make_shared<MemoryLedger>(std::size_t{8} << 20);
  ResultsInMemory results(clock_, ledger_);
  QueryState state;
  state.told_us = clock_.now_ms() * 1000;
  ASSERT_TRUE(results.put_state({"t", "a"}, state));
  std::uint32_t parts = 0;
  Status kept;
  while (kept) kept = results.put_part({"t", "a"}, parts++, std::string(kResultPartBytes, 'x'));
  EXPECT_EQ(kept.error().code, Code::unavailable);
  EXPECT_EQ(parts, 4U);
  EXPECT_EQ(ledger_->held(MemoryLedger::Kind::answer), results.bytes());
  EXPECT_EQ(results.part({"t", "a"}, 9).error().code, Code::not_found);
  state.status = 503;
  ASSERT_TRUE(results.put_state({"t", "a"}, state));
  EXPECT_LT(results.bytes(), 2048U) << "nobody reads what failed";
}

TEST_F(LaterQueriesTest, StatesComeBack) {
  const QueryState state{1, 2, 3, 4, true, 15, 403, "no \"room\"", 6, 7};
  const auto back = read_state(text_of(state));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(text_of(*back), text_of(state));
  EXPECT_EQ(back->shown_progress(), -ENOBUFS);
  for (const char* const damaged : {"", "{}", "[]", R"({"first":1})"}) {
    EXPECT_EQ(read_state(damaged).error().code, Code::corrupt) << damaged;
  }
}

}  // namespace
}  // namespace varve::language::analytics
