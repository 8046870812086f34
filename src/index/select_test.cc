// SPDX-License-Identifier: Apache-2.0
// A selection takes turns with those who define series, and ends where its answer is not wanted any more.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "index/pace.h"
#include "index/series_index.h"

namespace varve::index {
namespace {

// The lock, of which the test knows whether it is held, and what others do while it is not.
class DefiningTurns final : public Turns {
 public:
  explicit DefiningTurns(std::function<void()> meanwhile) : meanwhile_(std::move(meanwhile)) {}
  void leave() override {
    EXPECT_TRUE(held_);
    held_ = false;
    ++turns;
    meanwhile_();
  }
  void enter() override {
    EXPECT_FALSE(held_);
    held_ = true;
  }
  Status go_on() override { return turns < turns_max ? Status() : fail(Code::cancelled, "not wanted"); }

  int turns = 0, turns_max = 1'000'000;

 private:
  const std::function<void()> meanwhile_;
  bool held_ = true;
};

class SelectInTurns : public ::testing::Test {
 protected:
  static constexpr int kHosts = 10'000;

  SelectInTurns() {
    for (int i = 0; i < kHosts; ++i) define(i);
  }
  // Hosts with even numbers are in one data centre, and have another metric, too.
  void define(int host) {
    const std::string name = "host" + std::to_string(host), dc = host % 2 == 0 ? "even" : "odd";
    std::vector<std::string_view> metrics{"cpu"};
    if (host % 2 == 0) metrics.emplace_back("mem");
    ASSERT_TRUE(index_.define_group(tenant_, {{"dc", dc}, {"host", name}}, metrics, 1'000'000, definitions_));
  }
  Result<std::vector<model::SeriesId>> select(std::string_view metric, const Matchers& matchers, Turns& turns) {
    return index_.select(tenant_, metric, matchers, nullptr, &turns);
  }

  SeriesIndex index_;
  std::string definitions_;
  model::TenantId tenant_ = index_.tenant("default", definitions_);
};

TEST_F(SelectInTurns, finds_what_was_there_while_others_define_more) {
  const Matchers cases[] = {
      {},
      {{"host", Matcher::Kind::regex, {"host.*7"}}},
      {{"host", Matcher::Kind::not_regex, {"host.*7"}}},
      {{"dc", Matcher::Kind::any_of, {"even"}}, {"host", Matcher::Kind::regex, {".*[1-5]"}}},
      {{"dc", Matcher::Kind::none_of, {"odd"}}},
  };
  int next = kHosts;
  for (const Matchers& matchers : cases) {
    for (const std::string_view metric : {"cpu", "mem"}) {
      const auto before = *index_.select(tenant_, metric, matchers);
      DefiningTurns turns([&] { define(next++); });
      const auto found = *select(metric, matchers, turns);
      EXPECT_GT(turns.turns, 1);
      EXPECT_TRUE(std::ranges::is_sorted(found, {}, [](model::SeriesId id) { return model::to_int(id); }));
      for (const auto series : before) EXPECT_TRUE(std::ranges::find(found, series) != found.end());
      const auto after = *index_.select(tenant_, metric, matchers);
      for (const auto series : found) EXPECT_TRUE(std::ranges::find(after, series) != after.end());
    }
  }
}

TEST_F(SelectInTurns, a_turn_looks_at_a_bounded_number_of_series) {
  DefiningTurns turns([] {});
  ASSERT_TRUE(select("cpu", {{"host", Matcher::Kind::none_of, {"x"}}}, turns));
  EXPECT_GE(turns.turns, static_cast<int>(2 * kHosts / Pace::kTurn));
}

TEST_F(SelectInTurns, ends_when_its_answer_is_not_wanted_any_more) {
  DefiningTurns turns([] {});
  turns.turns_max = 2;
  const auto found = select("cpu", {{"host", Matcher::Kind::regex, {"host.*7"}}}, turns);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, Code::cancelled);
  EXPECT_LE(turns.turns, 3);
}

TEST_F(SelectInTurns, an_expression_that_takes_long_is_asked_without_the_lock) {
  const std::string value(1000, 'a');
  std::string_view metric = "long";
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(
        index_.define_group(tenant_, {{"host", value + std::to_string(i)}}, {&metric, 1}, 1'000'000, definitions_));
  }
  DefiningTurns turns([] {});
  EXPECT_EQ(select("long", {{"host", Matcher::Kind::regex, {"[ab]*a[ab]{400}1"}}}, turns)->size(), 1U);
  EXPECT_GE(turns.turns, 3);
}

TEST_F(SelectInTurns, a_value_that_is_too_long_for_an_expression_fails_the_call) {
  const std::string value(60'000, 'a');
  std::string_view metric = "long";
  ASSERT_TRUE(index_.define_group(tenant_, {{"host", value}}, {&metric, 1}, 1'000'000, definitions_));
  DefiningTurns turns([] {});
  std::string expression;
  for (int i = 0; i < 6; ++i) expression += "[ab]*a[ab]{900}x";
  const auto found = select("long", {{"host", Matcher::Kind::regex, {expression}}}, turns);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, Code::limit);
}

}  // namespace
}  // namespace varve::index
