// SPDX-License-Identifier: Apache-2.0
// The reader without a server: pages are empty ones, errors, or never come. row_store_contract.h has the rest.
#include "engine/cassandra/tables/page_reader.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace varve::engine::cassandra {
namespace {

using Done = driver::Done<driver::Rows>;

class PageReaderTest : public ::testing::Test {
 protected:
  // What becomes of each question, in their order; after that, empty pages.
  Status read(std::size_t count, const PageLimits& limits, std::vector<Result<void>> answers = {}) {
    const PageQueries queries{
        .count = count,
        .ask =
            [&, next = std::size_t{0}](std::size_t, Done done) mutable {
              ++asked;
              const std::size_t number = next++;
              if (silent)
                kept.push_back(std::move(done));
              else if (number < answers.size() && !answers[number])
                done(fail(answers[number].error()));
              else
                done(driver::Rows(nullptr));
              return driver::Request();
            },
        .each = [](std::size_t, std::span<const driver::Cell>) { return Status(); },
        .measured = [&](std::size_t, std::size_t, std::size_t) { ++pages; },
        .explain = [](std::size_t number,
                      const Error& error) { return Error{error.code, std::to_string(number) + ": " + error.message}; }};
    return read_pages(queries, limits, clock);
  }

  SystemClock clock;
  bool silent = false;
  int asked = 0, pages = 0;
  std::vector<Done> kept;
};

TEST_F(PageReaderTest, AsksForEverything) {
  EXPECT_TRUE(read(100, {.in_flight = 3}));
  EXPECT_EQ(asked, 100);
  EXPECT_EQ(pages, 100);
}

TEST_F(PageReaderTest, AnErrorEndsIt) {
  const Status status = read(3, {.in_flight = 1}, {{}, fail(Code::timeout, "slow")});
  EXPECT_EQ(status.error().message, "1: slow");
  EXPECT_EQ(asked, 2);
}

TEST_F(PageReaderTest, TriesAgain) {
  const PageLimits limits{.in_flight = 1, .attempts = 3, .pause_ns = 1};
  EXPECT_TRUE(read(2, limits, {fail(Code::timeout, "a"), fail(Code::unavailable, "b"), {}, fail(Code::io, "c")}));
  EXPECT_EQ(asked, 5);
  EXPECT_EQ(read(1, limits, {fail(Code::io, "a"), fail(Code::io, "b"), fail(Code::io, "c")}).error().message, "0: c");
  asked = 0;
  EXPECT_EQ(read(1, limits, {fail(Code::invalid, "a")}).error().message, "0: a") << "trying again is of no use";
  EXPECT_EQ(asked, 1);
}

TEST_F(PageReaderTest, WaitsNoLongerThanAllowed) {
  silent = true;
  const PageLimits soon{.in_flight = 4, .within = {nullptr, clock.steady_ns() + 5'000'000}};
  EXPECT_EQ(read(10, soon).error().code, Code::timeout);
  EXPECT_EQ(asked, 4);
  for (Done& done : kept) done(driver::Rows(nullptr));  // late answers find nobody
}

TEST_F(PageReaderTest, IsCarefulUntilItKnowsPages) {
  silent = true;
  const PageLimits soon{.in_flight = 64, .at_first = 5, .within = {nullptr, clock.steady_ns() + 1'000'000}};
  EXPECT_FALSE(read(100, soon));
  EXPECT_EQ(asked, 5);
}

TEST_F(PageReaderTest, IsCancelledWhileItWaits) {
  silent = true;
  std::atomic<bool> cancelled = false;
  std::thread cancelling([&] { cancelled = true; });
  EXPECT_EQ(read(10, {.within = {&cancelled, 0}}).error().code, Code::cancelled);
  cancelling.join();
}

}  // namespace
}  // namespace varve::engine::cassandra
