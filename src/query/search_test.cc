// SPDX-License-Identifier: Apache-2.0
#include "query/search.h"

#include <gtest/gtest.h>

#include "storage/testing/memory_store.h"

namespace varve::query {
namespace {

using index::Matcher;

class SearchTest : public ::testing::Test {
 protected:
  SearchTest() {
    for (const auto& [metric, group] : {std::pair("load", "CPU"), {"cpu", "CPU"}, {"disk", "Disk"}, {"cpu", "Other"}}) {
      store_.put("t", metric, {{"group", group}}, 1, model::Value::of_long(1));
    }
  }
  static Result<std::vector<std::string>> found(const Search& wanted, const Engine& engine,
                                                std::atomic<bool>* cancelled = nullptr) {
    const auto query = UnderWay::begin(engine, shown_as(wanted.tenant, "test", ""), cancelled);
    return metrics_with(engine, wanted, **query);
  }
  std::string names(const Search& wanted, const Engine& engine) {
    const auto found = this->found(wanted, engine);
    if (!found) return found.error().message;
    std::string out;
    for (const std::string& name : *found) out += name + " ";
    return out;
  }
  std::string names(Search wanted) {
    if (wanted.tenant.empty()) wanted.tenant = "t";
    return names(wanted, Engine(store_, store_, clock_, {}));
  }

  storage::testing::MemoryStore store_;
  ManualClock clock_;
};

TEST_F(SearchTest, Names) {
  EXPECT_EQ(names({}), "cpu disk load ");
  EXPECT_EQ(names({.matchers = {{"group", Matcher::Kind::any_of, {"CPU"}}}}), "cpu load ");
  const MetricName from_d = index::Matchers{{std::string(kNameTag), Matcher::Kind::regex, {"[d-z].*"}}};
  EXPECT_EQ(names({.metric = from_d}), "disk load ");
  EXPECT_EQ(names({.metric = from_d, .matchers = {{"group", Matcher::Kind::any_of, {"CPU"}}}}), "load ");
  EXPECT_EQ(names({.metric = "cpu"}), "cpu ");
  EXPECT_EQ(names({.metric = "cpu", .matchers = {{"group", Matcher::Kind::any_of, {"Disk"}}}}), "");
  EXPECT_EQ(names({.metric = "none"}), "");
  EXPECT_EQ(names({.tenant = "nobody"}), "");
  EXPECT_NE(names({.matchers = {{"group", Matcher::Kind::regex, {"("}}}}).find("regular expression"),
            std::string::npos);
}

TEST_F(SearchTest, Limits) {
  const Search all{.tenant = "t"};
  EXPECT_NE(names(all, Engine(store_, store_, clock_, {.memory_bytes = 50})).find("query.memory"), std::string::npos);
  std::atomic<bool> gone{true};
  EXPECT_EQ(found(all, Engine(store_, store_, clock_, {}), &gone).error().code, Code::cancelled);
  // A second passes with each metric that is looked at.
  const Engine engine(store_, store_, clock_, {.timeout = std::chrono::milliseconds(1500)});
  const auto query = UnderWay::begin(engine, shown_as("t", "test", ""), nullptr);
  const Status slow = search(engine, all, **query, [&](model::TenantId, const std::string&, auto) {
    clock_.advance_ms(1000);
    return Status();
  });
  EXPECT_EQ(slow.error().code, Code::timeout);
}

TEST_F(SearchTest, SeriesOfEach) {
  const Engine engine(store_, store_, clock_, {});
  const auto query = UnderWay::begin(engine, shown_as("t", "test", ""), nullptr);
  std::string seen;
  const Status done = search(engine, {.tenant = "t"}, **query,
                             [&](model::TenantId, const std::string& metric, std::span<const model::SeriesId> series) {
                               EXPECT_EQ(engine.running().list("t").size(), 1U);
                               seen += metric + std::to_string(series.size()) + " ";
                               return metric == "disk" ? Status(fail(Code::limit, "enough")) : Status();
                             });
  EXPECT_EQ(done.error().message, "enough");
  EXPECT_EQ(seen, "cpu2 disk1 ");
}

}  // namespace
}  // namespace varve::query
