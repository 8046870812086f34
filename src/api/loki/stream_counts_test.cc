// SPDX-License-Identifier: Apache-2.0
// Labels, streams and volumes are the same whether messages are in memory or sealed.
#include <gtest/gtest.h>

#include <deque>
#include <random>
#include <string>
#include <utility>

#include "api/loki/routes.h"
#include "api/testing/waiting_sink.h"
#include "base/testing/effort.h"
#include "http/url.h"
#include "query/testing/message_parts.h"
#include "storage/testing/memory_store.h"

namespace varve::api {
namespace {

using query::testing::MessageParts;
using Kept = MessageParts::Kept;
constexpr std::int64_t kStartUs = 1'700'000'000'000'000;
constexpr std::int64_t kCountedSpanUs = 10'000'000;

// As a Loki push leaves them: columns say nothing that fields do not say.
void add_pushed(std::mt19937_64& random, message::Batch& batch) {
  message::Builder builder(batch);
  builder.start();
  std::deque<std::string> texts;  // until finish()
  const auto field = [&](std::string_view name, std::string value) {
    EXPECT_TRUE(builder.add_field(name, message::FieldForm::text, texts.emplace_back(std::move(value))));
  };
  const std::string host = "h" + std::to_string(random() % 3);
  if (random() % 2 == 0) {
    EXPECT_TRUE(builder.set(message::Column::source, host));
  }
  if (random() % 8 == 0) field("foo.bar", "dotted");
  if (random() % 8 == 0) field("foo_bar", "plain");
  field("host", random() % 16 == 0 ? "other" : host);
  field("job", "j" + std::to_string(random() % 4));
  if (random() % 4 == 0) field("trace", std::to_string(random()));
  const auto metadata = [&](std::string_view name, std::string value) {
    EXPECT_TRUE(builder.add_field(name, message::FieldForm::metadata, texts.emplace_back(std::move(value))));
  };
  if (random() % 4 == 0) metadata("span", std::to_string(random()));
  if (random() % 8 == 0) metadata("level_of_care", "m");
  if (random() % 8 == 0) metadata("host", random() % 2 == 0 ? "other" : host);  // a label's name, too
  if (random() % 8 == 0) metadata("job", "j" + std::to_string(random() % 4));
  if (random() % 8 == 0) field("level_of_care", "l");
  const std::string text(random() % 20, 'x');
  EXPECT_TRUE(builder.set(message::Column::text, text));
  builder.finish(kStartUs + static_cast<std::int64_t>(random() % kCountedSpanUs), static_cast<unsigned>(random() % 3));
}

std::string answer_from(const storage::MessageStore& messages, const std::string& target) {
  storage::testing::MemoryStore store;
  ManualClock clock((kStartUs + kCountedSpanUs) / 1000);
  query::Engine engine(store, store, clock, {});
  TaskPool pool(1);
  Metrics metrics;
  Router router;
  const LokiContext context{messages, engine, pool, clock, metrics, 100'000};
  add_loki_questions(router, context);
  Request request;
  request.method = Method::get;
  request.tenant = "t";
  request.gone = std::make_shared<std::atomic<bool>>(false);
  EXPECT_TRUE(http::parse_target("/loki/api/v1/" + target, request.path, request.query)) << target;
  const Response response = answer_of(router, request);
  EXPECT_EQ(response.status, 200) << target << response.body;
  return response.body;
}

std::string in_url(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    out.append(1, '%').append(1, kHex[byte >> 4]).append(1, kHex[byte & 15]);
  }
  return out;
}

std::vector<std::string> metric_targets(const std::string& selector) {
  const std::string log = selector.empty() ? "{host=~\".*.\"}" : selector;
  std::vector<std::string> out;
  for (const std::string& metric :
       {"sum by (job, level) (count_over_time(" + log + " | drop __error__ [2s]))",
        "sum by (span) (rate(" + log + " |= \"xx\" [3s]))", "sum by (foo_bar) (bytes_over_time(" + log + "[2s]))",
        "sum without (trace, span) (bytes_rate(" + log + "[1s] offset 1s))",
        "sum(count_over_time(" + log + "[1500ms]))", "count_over_time(" + log + " | keep job, host [10s])",
        "max by (job) (count_over_time(" + log + "[7ns]))"}) {
    for (const char* const steps :
         {"&start=1700000001&end=1700000010&step=2", "&start=1700000000.5&end=1700000009&step=0.5",
          "&start=1700000004.000000001&end=1700000004.000000001&step=1"}) {
      out.push_back("query_range?query=" + in_url(metric) + steps);
    }
  }
  return out;
}

std::vector<std::string> targets(std::mt19937_64& random) {
  const auto span = [](std::uint64_t from_ns, std::int64_t to_ns) {
    return "start=" + std::to_string(kStartUs * 1000 + static_cast<std::int64_t>(from_ns)) +
           "&end=" + std::to_string(kStartUs * 1000 + to_ns);
  };
  const std::string spans[] = {span(0, kCountedSpanUs * 1000 + 1), span(random() % 2'000'000'000, 9'000'000'000)};
  const std::string plain[] = {"", "{source=~\".+\"}", "{host=\"h1\"}", "{job=~\"j[12]\"}"};
  std::vector<std::string> out;
  for (const std::string& selector : plain) {
    for (std::string& target : metric_targets(selector)) out.push_back(std::move(target));
  }
  const std::string selectors[] = {"", "%7Bsource=~%22.%2B%22%7D", "%7Bhost=%22h1%22%7D", "%7Bjob=~%22j%5B12%5D%22%7D"};
  for (const std::string& range : spans) {
    for (const std::string& selector : selectors) {
      const std::string more = "?" + range + (selector.empty() ? "" : "&query=" + selector);
      for (const char* const path : {"labels", "label/source/values", "label/host/values", "label/job/values",
                                     "label/trace/values", "label/foo_bar/values", "label/foo_bar_extracted/values",
                                     "label/level/values", "index/stats", "index/volume"}) {
        out.push_back(path + more);
      }
      out.push_back("index/volume_range" + more + "&step=1");
      out.push_back("index/volume_range" + more + "&step=0.0123&targetLabels=job,level");
      out.push_back("index/volume" + more + "&aggregateBy=labels");
      out.push_back("series?" + range + (selector.empty() ? "" : "&match[]=" + selector));
    }
  }
  return out;
}

TEST(LokiStreams, AreThoseOfAWalkOverRows) {
  for (int round = 0; round < varve::testing::effort(8); ++round) {
    std::mt19937_64 random(static_cast<std::uint64_t>(round));
    message::Batch batch;
    for (std::size_t n = random() % 400; n > 0; --n) add_pushed(random, batch);
    if (round % 4 == 1) message::block::testing::SiteMessages(random()).make(400, kStartUs, kCountedSpanUs, batch);
    if (batch.empty()) continue;
    MessageParts hot(batch, Kept::hot), sealed(batch, Kept::sealed), half(batch, Kept::half);
    for (MessageParts* const one : {&hot, &sealed, &half}) one->name_field("foo.bar");
    for (const std::string& target : targets(random)) {
      const std::string expected = answer_from(hot, target);
      EXPECT_EQ(answer_from(sealed, target), expected) << target;
      EXPECT_EQ(answer_from(half, target), expected) << target;
    }
  }
}

TEST(LokiStreams, MetadataMakesNoStreams) {
  message::Batch batch;
  message::Builder builder(batch);
  for (int i = 0; i < 100; ++i) {
    builder.start();
    const std::string trace = "t" + std::to_string(i);
    EXPECT_TRUE(builder.add_field("job", message::FieldForm::text, "web"));
    EXPECT_TRUE(builder.add_field("trace_id", message::FieldForm::metadata, trace));
    EXPECT_TRUE(builder.set(message::Column::module, "web"));
    builder.finish(kStartUs + i);
  }
  const std::string span = "?start=1700000000&end=1700000002";
  for (const Kept kept : {Kept::hot, Kept::sealed, Kept::half}) {
    const MessageParts parts(batch, kept);
    EXPECT_EQ(answer_from(parts, "series" + span), R"({"status":"success","data":[{"job":"web"}]})");
    EXPECT_EQ(answer_from(parts, "labels" + span), R"({"status":"success","data":["job"]})");
    EXPECT_EQ(answer_from(parts, "index/stats" + span), R"({"streams":1,"chunks":1,"bytes":0,"entries":100})");
    EXPECT_EQ(answer_from(parts, "label/trace_id/values" + span).size(), 619U) << "all hundred";
  }
}

TEST(LokiStreams, VolumesByStep) {
  message::Batch batch;
  message::Builder builder(batch);
  for (const std::int64_t us : {0, 1'500'000, 1'600'000, 2'000'000}) {
    builder.start();
    EXPECT_TRUE(builder.set(message::Column::source, "a"));
    EXPECT_TRUE(builder.set(message::Column::text, "four"));
    builder.finish(kStartUs + us);
  }
  EXPECT_EQ(
      answer_from(MessageParts(batch, Kept::sealed), "index/volume_range?start=1700000000&end=1700000002&step=1s"),
      R"({"status":"success","data":{"resultType":"matrix","result":[{"metric":{"source":"a"},"values":[)"
      R"([1700000000,"4"],[1700000001,"8"]]}],"stats":{}}})");
}

}  // namespace
}  // namespace varve::api
