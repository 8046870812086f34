// SPDX-License-Identifier: Apache-2.0
#include "write/writer.h"

#include <optional>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "protocol/influx/line.h"
#include "storage/testing/memory_store.h"
#include "write/refusals.h"
#include "write/tenant_figures.h"
#include "write/testing/fake_stores.h"

namespace varve::write {
namespace {

double metric(const Metrics& metrics, std::string_view name, std::string_view reason = "") {
  for (const auto& sample : metrics.samples()) {
    if (sample.name == name && (reason.empty() || sample.labels.at(0).second == reason)) return sample.value;
  }
  return -1;
}

struct WriterWorld {
  testing::FakeSeriesStore series;
  testing::FakeSampleStore samples;
  Metrics metrics;
  Writer writer{series, samples, Options{{}, &metrics}};

  std::unique_ptr<Ingest> open(std::string_view tenant, Family family = Family::influx) {
    auto ingest = writer.open(tenant, family);
    EXPECT_TRUE(ingest);
    return std::move(*ingest);
  }
  protocol::Outcome parse(Ingest& ingest, std::string text) {
    const std::size_t size = text.size();
    text.append(protocol::influx::kBodyPadding, '\0');
    return protocol::influx::parse_lines(std::string_view(text).substr(0, size), protocol::influx::Precision::ms, 0,
                                         ingest.groups(), ingest.batch());
  }
  std::optional<Status> commit(std::unique_ptr<Ingest> ingest) {
    std::optional<Status> answer;
    writer.commit(std::move(ingest), [&](Status status) { answer = std::move(status); });
    return answer;
  }
};

TEST(Writer, TakesABatchAndCountsIt) {
  WriterWorld w;
  auto ingest = w.open("t");
  EXPECT_EQ(w.parse(*ingest, "m,h=a x=1i,y=2i 5\nm,h=b x=1i,y=2i 5\n").accepted, 4U);
  const auto answer = w.commit(std::move(ingest));
  ASSERT_TRUE(answer.has_value());
  EXPECT_TRUE(answer->has_value());
  EXPECT_EQ(w.samples.appended, 4U);
  EXPECT_EQ(metric(w.metrics, "varve_samples_accepted_total"), 4);
}

TEST(Writer, CountsMarkersApart) {
  WriterWorld w;
  const std::string_view metric_name = "m";
  for (const bool refused : {false, true}) {
    w.samples.refuse = refused;
    auto ingest = w.open("t", Family::remote_write);
    const auto group = ingest->groups().define(refused ? "m again" : "m", {}, {}, {&metric_name, 1});
    ASSERT_TRUE(group);
    ingest->batch().add(**group, 5, model::Value::of_long(1));
    ingest->batch().add_stale_markers(**group, 6);
    ASSERT_TRUE(w.commit(std::move(ingest)).has_value());
    EXPECT_EQ(metric(w.metrics, "varve_samples_accepted_total"), 1);
    EXPECT_EQ(metric(w.metrics, "varve_stale_markers_total"), 1);
  }
}

// A process that has just started knows no tenant, but its store may.
TEST(Writer, KnowsWhatSeriesTheStoreHas) {
  storage::testing::MemoryStore store;
  Writer writer{store, store, Options{}};
  const std::string_view metric_name = "m";
  const auto knows = [&](std::string_view tenant, const model::TagViews& tags) {
    auto ingest = writer.open(tenant, Family::remote_write);
    EXPECT_TRUE(ingest);
    const auto known = (*ingest)->groups().knows(tags, {&metric_name, 1});
    EXPECT_TRUE(known);
    return known.value_or(false);
  };
  EXPECT_FALSE(knows("t", {{"a", "1"}}));
  EXPECT_TRUE(store.tenants()->empty()) << "asking makes no tenant";
  store.put("t", "m", {{"a", "1"}}, 5, model::Value::of_long(1));
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(knows("t", {{"a", "1"}}));
    EXPECT_FALSE(knows("t", {}));
    EXPECT_FALSE(knows("t", {{"a", "1"}, {"b", "2"}}));
    EXPECT_FALSE(knows("other", {{"a", "1"}}));
  }
}

// A series and the marker that ends it may come in one request, the tenant's first.
TEST(Writer, KnowsTheSeriesOfItsOwnRequest) {
  storage::testing::MemoryStore store;
  Writer writer{store, store, Options{}};
  const std::string_view metric_name = "m";
  auto ingest = writer.open("t", Family::remote_write);
  ASSERT_TRUE(ingest);
  const auto group = (*ingest)->groups().define("m", {}, {{"a", "1"}}, {&metric_name, 1});
  ASSERT_TRUE(group);
  (*ingest)->batch().add(**group, 5, model::Value::of_long(1));
  EXPECT_TRUE((*ingest)->groups().knows({{"a", "1"}}, {&metric_name, 1}).value());
  EXPECT_FALSE((*ingest)->groups().knows({{"a", "2"}}, {&metric_name, 1}).value());
}

TEST(Writer, TellsWhoWatchesHowABatchEnded) {
  testing::FakeSeriesStore series;
  testing::FakeSampleStore samples;
  ManualClock clock;
  Refusals refusals{clock};
  TenantFigures figures;
  Options options;
  options.refusals = &refusals;
  options.figures = &figures;
  Writer writer{series, samples, options};
  const auto write = [&](const std::string& tenant) {
    auto ingest = *writer.open(tenant, Family::influx);
    std::string text = "m,h=a x=1i,y=2i 5";
    const std::size_t size = text.size();
    text.append(protocol::influx::kBodyPadding, '\0');
    protocol::influx::parse_lines(std::string_view(text).substr(0, size), protocol::influx::Precision::ms, 0,
                                  ingest->groups(), ingest->batch());
    writer.commit(std::move(ingest), [](const Status&) {});
  };
  write("a");
  write("a");
  write("b");
  EXPECT_EQ(refusals.told(), "");
  samples.refuse = true;
  write("a");
  EXPECT_EQ(refusals.told(), "writes are refused: the disk is full");
  EXPECT_EQ(figures.samples("a").value(), 4U);
  EXPECT_EQ(figures.samples("b").value(), 2U);
}

TEST(Writer, AnEmptyBatchIsDoneAtOnce) {
  WriterWorld w;
  const auto answer = w.commit(w.open("t"));
  EXPECT_TRUE(answer.has_value() && answer->has_value());
  EXPECT_EQ(metric(w.metrics, "varve_samples_accepted_total"), 0);
}

TEST(Writer, WhatTheStoreRefusesIsRejectedByReason) {
  WriterWorld w;
  w.samples.refuse = true;
  auto ingest = w.open("t");
  w.parse(*ingest, "m x=1i 5");
  const auto answer = w.commit(std::move(ingest));
  EXPECT_EQ(answer->error().code, Code::unavailable);
  EXPECT_EQ(metric(w.metrics, "varve_samples_accepted_total"), 0);
  EXPECT_EQ(metric(w.metrics, "varve_samples_rejected_total", "unavailable"), 1);
  w.writer.count_rejected(Code::invalid, 3);
  EXPECT_EQ(metric(w.metrics, "varve_samples_rejected_total", "invalid"), 3);
}

TEST(Writer, TenantsMustHaveNames) {
  WriterWorld w;
  for (const char* name : {"", "a b", "a/b", "ü"}) {
    const auto ingest = w.writer.open(name, Family::influx);
    ASSERT_FALSE(ingest);
    EXPECT_EQ(ingest.error().code, Code::invalid);
  }
  EXPECT_EQ(w.series.tenant_calls, 0U);
}

TEST(Writer, ATenantComesToBeWithItsFirstRow) {
  WriterWorld w;
  EXPECT_TRUE(w.commit(w.open("t"))->has_value()) << "nothing in it";
  auto refused = w.open("t");
  EXPECT_EQ(w.parse(*refused, "m x=nonsense 5\nm,h= x=1i 5").accepted, 0U);
  EXPECT_TRUE(w.commit(std::move(refused))->has_value());
  auto dropped = w.open("t");
  EXPECT_EQ(w.parse(*dropped, "m x=1i 5").accepted, 1U);
  dropped.reset();
  EXPECT_EQ(w.series.tenant_calls, 0U);
  EXPECT_EQ(w.series.groups, 0U);
  auto ingest = w.open("t");
  EXPECT_EQ(w.parse(*ingest, "m,h=a x=1i 5\nm,h=b x=1i 5\nbad\nm,h=a x=2i 6\nm,h=b x=2i 6\nm,h=c x=3i 6").accepted, 5U);
  std::vector<unsigned> groups;
  EXPECT_TRUE(ingest->settle());
  for (std::size_t at = 0, row = 0; row < ingest->batch().rows(); ++row) {
    groups.push_back(model::to_int(ingest->batch().row_at(at).group()));
    at += ingest->batch().row_at(at).bytes();
  }
  EXPECT_EQ(groups, (std::vector<unsigned>{0, 1, 0, 1, 2}));
  EXPECT_TRUE(w.commit(std::move(ingest))->has_value());
  EXPECT_EQ(w.series.tenant_calls, 1U);
  EXPECT_EQ(w.series.groups, 3U);
  EXPECT_EQ(w.samples.appended, 5U);
}

TEST(Writer, WhatTheStoreSaysOfANewTenant) {
  WriterWorld w;
  w.series.refuse = true;
  auto ingest = w.open("t");
  w.parse(*ingest, "m x=1i 5");
  EXPECT_EQ(w.commit(std::move(ingest))->error().code, Code::unavailable);
  EXPECT_EQ(w.samples.appended, 0U);
  w.series.refuse = false;
  auto again = w.open("t");
  w.parse(*again, "m x=1i 5");
  EXPECT_TRUE(w.commit(std::move(again))->has_value());
}

TEST(Writer, TenantsAreLimited) {
  testing::FakeSeriesStore series;
  testing::FakeSampleStore samples;
  Writer writer(series, samples, {.tenants_max = 1, .uncounted_tenant = "own"});
  const auto write = [&](std::string_view tenant, std::string_view name = "m") {
    auto ingest = *writer.open(tenant, Family::influx);
    auto group = ingest->groups().define(name, {}, {}, {&name, 1}, 0);
    ingest->batch().add(**group, 5, model::Value::of_long(1));
    std::optional<Status> answer;
    writer.commit(std::move(ingest), [&](Status status) { answer = std::move(status); });
    return *answer;
  };
  EXPECT_TRUE(write("own"));
  EXPECT_TRUE(write("a"));
  EXPECT_TRUE(writer.room_for("a"));
  EXPECT_FALSE(writer.room_for("b"));
  EXPECT_TRUE(writer.has_refused_tenants());
  const Status refused = write("b");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::limit);
  EXPECT_NE(refused.error().message.find("limits.tenants allows (1)"), std::string::npos) << refused.error().message;
  EXPECT_TRUE(write("a", "other"));
  EXPECT_EQ(series.tenant_calls, 2U) << "nothing was made of the one that was refused";
  ASSERT_TRUE(writer.count_tenants());
  EXPECT_FALSE(write("b")) << "the first may be on its way to the store";
  ASSERT_TRUE(writer.count_tenants());  // the store has none
  EXPECT_FALSE(writer.has_refused_tenants());
  EXPECT_TRUE(write("b"));
}

TEST(Writer, TenantsAndFamiliesHaveGroupsOfTheirOwn) {
  WriterWorld w;
  const auto groups = [&](std::string_view tenant, Family family) {
    auto ingest = w.open(tenant, family);
    w.parse(*ingest, "m x=1i 5");
    w.commit(std::move(ingest));
    return w.series.groups.load();
  };
  EXPECT_EQ(groups("a", Family::influx), 1U);
  EXPECT_EQ(groups("a", Family::influx), 1U);
  EXPECT_EQ(groups("b", Family::influx), 2U);
  EXPECT_EQ(groups("a", Family::telnet), 3U);
  EXPECT_EQ(groups("a", Family::influx), 3U);
  EXPECT_EQ(w.series.tenant_calls, 2U);
}

TEST(Writer, ARecycledBatchIsEmpty) {
  WriterWorld w;
  {
    auto ingest = w.open("t");
    w.parse(*ingest, "m x=1i 5");
    EXPECT_FALSE(ingest->batch().empty());  // and then dropped without a commit
  }
  EXPECT_TRUE(w.open("t")->batch().empty());
}

TEST(Writer, ABatchKnowsWhatIsKept) {
  testing::FakeSeriesStore series;
  testing::FakeSampleStore samples;
  ManualClock clock(1000);
  Writer writer(series, samples, {.clock = &clock, .kept_ms = 600});
  EXPECT_EQ((*writer.open("t", Family::influx))->batch().kept_from(), 400);
  clock.advance_ms(50);
  EXPECT_EQ((*writer.open("t", Family::influx))->batch().kept_from(), 450) << "also in a recycled batch";
  Writer for_ever(series, samples, {});
  EXPECT_EQ((*for_ever.open("t", Family::influx))->batch().kept_from(), model::kTimestampMin);
}

// Of a new tenant and a known one, a new name and a known one; on the fast way of a parser and the slow one.
TEST(Writer, ALineGroupMayBeKeptForLess) {
  ManualClock clock(1000);
  testing::FakeSeriesStore series;
  testing::FakeSampleStore samples;
  const auto of = [](std::string_view tenant, const model::TagViews& tags, std::span<const std::string_view> metrics) {
    EXPECT_EQ(tags.size(), 1U);
    return static_cast<std::uint8_t>(tenant == "t" && metrics[0] == "brief_x" ? 2 : metrics[0] == "m_x" ? 1 : 0);
  };
  Writer writer(series, samples, {.clock = &clock, .kept_ms = 900, .shorter = {{600, 100}, of}});
  const auto accepted = [&](std::string_view tenant, const std::string& line) {
    auto ingest = *writer.open(tenant, Family::influx);
    EXPECT_EQ(ingest->batch().kept_from(), 100);
    EXPECT_EQ(ingest->batch().sure_from(), 900);
    std::string text = line + "\n";
    const std::size_t size = text.size();
    text.append(protocol::influx::kBodyPadding, '\0');
    const auto outcome = protocol::influx::parse_lines(
        std::string_view(text).substr(0, size), protocol::influx::Precision::ms, 0, ingest->groups(), ingest->batch());
    writer.commit(std::move(ingest), [](const Status& status) { EXPECT_TRUE(status); });
    return outcome.accepted == 1;
  };
  for (int again = 0; again < 2; ++again) {
    EXPECT_FALSE(accepted("t", "brief,h=a x=1 899"));
    EXPECT_TRUE(accepted("t", "brief,h=a x=1 900"));
    EXPECT_TRUE(accepted("t", "m,h=a x=1 400"));
    EXPECT_FALSE(accepted("t", "m,h=a x=1 399"));
    EXPECT_TRUE(accepted("t", "o,h=a x=1 100"));
    EXPECT_FALSE(accepted("t", "o,h=a x=1 99"));
    EXPECT_TRUE(accepted("u", "brief,h=a x=1 100"));
  }
}

// They are looked up again, and whoever is at work goes on with what he has.
TEST(Writer, NamesOfSilentSendersAreForgotten) {
  testing::FakeSeriesStore series;
  testing::FakeSampleStore samples;
  ManualClock clock;
  Writer writer(series, samples, {.name_bytes_max = 2 * model::LineGroup::kReadable, .clock = &clock});
  const auto open = [&](Family family) { return *writer.open("t", family); };
  const auto knows = [&](Family family) { return open(family)->groups().find("m", {}); };
  const std::string_view metric = "m";
  const std::string padded = "m" + std::string(model::LineGroup::kReadable, '\0');
  const auto name = std::string_view(padded).substr(0, 1);
  ASSERT_TRUE(writer.make_tenant("t"));
  ASSERT_TRUE(open(Family::influx)->groups().define(name, {}, {}, {&metric, 1}));
  auto at_work = open(Family::telnet);
  const auto* const group = *at_work->groups().define(name, {}, {}, {&metric, 1});

  clock.advance_ms(39'000);
  writer.forget_unused();
  EXPECT_NE(knows(Family::influx), nullptr);
  clock.advance_ms(2'000);
  writer.forget_unused();
  EXPECT_NE(knows(Family::influx), nullptr) << "it was asked two seconds ago";
  EXPECT_EQ(knows(Family::telnet), nullptr);
  EXPECT_EQ(at_work->groups().find(name, {}), group);
  const auto again = *open(Family::telnet)->groups().define(name, {}, {}, {&metric, 1});
  EXPECT_NE(again, group);
  EXPECT_EQ(again->raw_name, nullptr) << "the two others are there";
  at_work = nullptr;
  EXPECT_NE((*open(Family::kairosdb)->groups().define(name, {}, {}, {&metric, 1}))->raw_name, nullptr);
}

TEST(Writer, NumbersOfAnotherGenerationAreAskedForAgain) {
  testing::FakeSeriesStore series;
  testing::FakeSampleStore samples;
  Writer writer(series, samples, {});
  const std::string_view metric = "m";
  ASSERT_TRUE(writer.make_tenant("t"));
  const auto define = [&](Ingest& ingest) { return (*ingest.groups().define("m", {}, {}, {&metric, 1}))->id; };
  const auto before = define(**writer.open("t", Family::influx));
  EXPECT_EQ(define(**writer.open("t", Family::influx)), before);
  const auto at_work = *writer.open("t", Family::influx);
  series.generation = 1;
  EXPECT_EQ(writer.group_generation(), 1U);
  EXPECT_EQ(at_work->groups().find("m", {})->id, before) << "it has a minute";
  const auto next = *writer.open("t", Family::influx);
  EXPECT_EQ(next->groups().find("m", {}), nullptr);
  const auto after = define(*next);
  EXPECT_NE(after, before);
  EXPECT_EQ(define(**writer.open("t", Family::influx)), after);
  EXPECT_EQ(at_work->groups().find("m", {})->id, before);
}

TEST(Writer, SecondsForMillisecondsAreCounted) {
  testing::FakeSeriesStore series;
  testing::FakeSampleStore samples;
  ManualClock clock;
  Metrics metrics;
  Writer writer(series, samples, {.metrics = &metrics, .clock = &clock});
  for (const model::Timestamp time : {clock.now_ms() / 1000, clock.now_ms()}) {
    auto ingest = *writer.open("t", Family::kairosdb);
    const std::string_view metric = "m";
    ingest->batch().add(**ingest->groups().define("m", {}, {}, {&metric, 1}), time, model::Value::of_long(1));
    writer.commit(std::move(ingest), [](const Status& status) { EXPECT_TRUE(status); });
  }
  EXPECT_EQ(::varve::write::metric(metrics, "varve_samples_of_1970_total"), 1);
}

TEST(Writer, WhatIsOldLivesFromNow) {
  testing::FakeSeriesStore series;
  testing::FakeSampleStore samples;
  ManualClock clock(1'000'000'000);
  Writer writer(series, samples, {.clock = &clock, .kept_ms = 1'000'000'000});
  const auto commit = [&](std::vector<model::Timestamp> times) {
    auto ingest = *writer.open("t", Family::kairosdb);
    const std::string_view metric = "m";
    const auto* group = *ingest->groups().define("m", "60", {}, {&metric, 1}, 60);
    for (const model::Timestamp time : times) ingest->batch().add(*group, time, model::Value::of_long(1));
    std::optional<Status> answer;
    writer.commit(std::move(ingest), [&](Status status) { answer = std::move(status); });
    return *answer;
  };
  const model::Timestamp now = clock.now_ms();
  ASSERT_TRUE(commit({now, now - 3'000, now + 5'000}));
  EXPECT_TRUE(series.names_asked.empty());
  series.ttls_s.clear();
  ASSERT_TRUE(commit({now - 40'000, now, now - 40'500, now - 600'000}));
  EXPECT_EQ(series.names_asked, (std::vector<model::GroupId>{model::GroupId{0}, model::GroupId{0}}));
  EXPECT_EQ(series.ttls_s, (std::vector<std::uint32_t>{104, 704}));
  EXPECT_EQ(samples.appended, 7U);
  series.refuse = true;
  const Status refused = commit({now - 40'000});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::limit);
  EXPECT_EQ(samples.appended, 7U) << "nothing of it";
}

TEST(Writer, ManyThreads) {
  WriterWorld w;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&w] {
      for (int i = 0; i < 200; ++i) {
        auto ingest = w.open("tenant" + std::to_string(i % 3));
        std::string text;
        for (int line = 0; line < 10; ++line) text += "m,h=" + std::to_string(i + line) + " x=1i,y=2i 5\n";
        w.parse(*ingest, text);
        w.commit(std::move(ingest));
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(w.samples.appended, 4U * 200 * 20);
  EXPECT_EQ(metric(w.metrics, "varve_samples_accepted_total"), 4 * 200 * 20);
}

}  // namespace
}  // namespace varve::write
