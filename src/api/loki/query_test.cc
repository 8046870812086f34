// SPDX-License-Identifier: Apache-2.0
// Requests of Loki's API and what comes of them; what queries mean is tested in language/logql/.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "api/loki/metric_answer.h"
#include "api/loki/routes.h"
#include "api/testing/waiting_sink.h"
#include "base/clock.h"
#include "base/metrics.h"
#include "http/url.h"
#include "message/builder.h"
#include "storage/testing/memory_store.h"

namespace varve::api {
namespace {

constexpr std::int64_t kNowMs = 1'700'000'000'000;

// Messages of tenant t.
class LokiTestStore final : public storage::MessageStore {
 public:
  void add(std::int64_t ns, std::string_view job, std::string_view text) {
    message::Builder builder(*batch_);
    builder.start();
    EXPECT_TRUE(builder.add_field("job", message::FieldForm::text, job));
    EXPECT_TRUE(builder.set(message::Column::text, text));
    builder.finish(ns / 1000, static_cast<unsigned>(ns % 1000));
  }
  void append_messages(std::string_view, const message::Batch&, AppendDone done) override { done({}); }
  [[nodiscard]] Result<std::vector<storage::MessagePart>> message_parts(std::string_view tenant, std::int64_t first_us,
                                                                        std::int64_t last_us) const override {
    if (fails) return fail(Code::unavailable, "the store is away");
    if (tenant != "t" || batch_->empty() || batch_->first_us() > last_us || batch_->last_us() < first_us) return {};
    storage::MessagePart part{batch_->first_us(), batch_->last_us(), batch_->rows()};
    part.read = [batch = batch_](std::int64_t, std::int64_t) -> Result<storage::MessageRows> {
      return storage::MessageRows{{batch->bytes()}, batch};
    };
    return std::vector{part};
  }
  [[nodiscard]] Result<storage::MessageNames> message_names(std::string_view) const override { return {}; }
  Result<std::uint64_t> delete_messages(std::string_view, std::int64_t, std::int64_t, const message::Condition&,
                                        const storage::GoOn&) override {
    return fail(Code::unsupported, "a store that is read");
  }

  bool fails = false;

 private:
  std::shared_ptr<message::Batch> batch_ = std::make_shared<message::Batch>();
};

class LokiApi : public ::testing::Test {
 protected:
  LokiApi() {
    const LokiContext context{messages_, engine_, pool_, clock_, metrics_, 1000};
    add_loki_questions(router_, context);
    const std::int64_t now_ns = kNowMs * 1'000'000;
    messages_.add(now_ns - kHourNs, "a", "an hour ago");
    messages_.add(now_ns - kHourNs - 1, "a", "before");
    messages_.add(now_ns - 5'000'000'001, "b", "late");
  }

  Response ask(const std::string& target, const std::string& form = "", const std::string& flags = "") {
    Request request;
    request.method = form.empty() ? Method::get : Method::post;
    request.tenant = tenant_;
    request.gone = std::make_shared<std::atomic<bool>>(false);
    request.body = form;
    if (!form.empty()) request.headers.emplace_back("content-type", "application/x-www-form-urlencoded; charset=utf-8");
    if (!flags.empty()) request.headers.emplace_back("x-loki-response-encoding-flags", flags);
    EXPECT_TRUE(http::parse_target("/loki/api/v1/" + target, request.path, request.query)) << target;
    return answer_of(router_, request);
  }
  std::string get(const std::string& target, const std::string& form = "", const std::string& flags = "") {
    const Response response = ask(target, form, flags);
    EXPECT_EQ(response.status, 200) << response.body;
    return response.body;
  }
  std::string error(const std::string& target, int status = 400) {
    const Response response = ask(target);
    EXPECT_EQ(response.status, status) << response.body;
    EXPECT_EQ(response.content_type, "text/plain; charset=utf-8");
    EXPECT_TRUE(response.body.ends_with('\n'));
    return response.body.substr(0, response.body.size() - 1);
  }
  // How many lines there are between these times.
  std::size_t lines(const std::string& range) {
    const std::string body = get("query_range?query=%7Bjob=~%22.%2B%22%7D&" + range);
    std::size_t count = 0;
    for (std::size_t at = body.find("[\"1"); at != std::string::npos; at = body.find("[\"1", at + 1)) ++count;
    return count;
  }

  LokiTestStore messages_;
  storage::testing::MemoryStore store_;
  ManualClock clock_{kNowMs};
  query::Engine engine_{store_, store_, clock_, {}};
  TaskPool pool_{1};
  Metrics metrics_;
  Router router_;
  std::string tenant_ = "t";
};

TEST_F(LokiApi, Times) {
  EXPECT_EQ(lines(""), 2U);  // the last hour, its start included
  EXPECT_EQ(lines("since=2h"), 3U);
  EXPECT_EQ(lines("since=10"), 1U);
  EXPECT_EQ(lines("start=1699996400000000001"), 1U);
  EXPECT_EQ(lines("start=1699996400"), 2U);
  EXPECT_EQ(lines("start=1699996399.5"), 3U);
  EXPECT_EQ(lines("start=2023-11-14T21:13:20Z"), 2U);
  EXPECT_EQ(lines("start=2023-11-14T21:13:20.000000001Z"), 1U);
  EXPECT_EQ(lines("start=1699996400&end=1699999994999999999"), 1U);
  EXPECT_EQ(lines("start=1699996400&end=1699999995000000000"), 2U);
  EXPECT_EQ(lines("start=0&end=1699996399999999999"), 0U);
  EXPECT_EQ(lines("start=5&end=5"), 0U);
}

TEST_F(LokiApi, BadParameters) {
  const auto range = [&](const std::string& more) { return error("query_range?query=%7Bjob=%22a%22%7D&" + more); };
  EXPECT_EQ(range("start=soon"),
            "could not parse 'start' parameter: 'soon' is not a time: neither a number nor RFC 3339");
  EXPECT_EQ(range("end=-1"), "could not parse 'end' parameter: '-1' is not between 1970 and 2261");
  for (const std::string end : {"9999999999", "9223372037", "-999999999", "9223372036854775807"}) {
    EXPECT_EQ(range("end=" + end), "could not parse 'end' parameter: '" + end + "' is not between 1970 and 2261");
  }
  EXPECT_EQ(range("end=9300000000000000000"),
            "could not parse 'end' parameter: '9300000000000000000' is not a time: neither a number nor RFC 3339");
  EXPECT_EQ(range("start=5&end=4"), "end timestamp must not be before or equal to start time");
  EXPECT_EQ(range("limit=0"), "limit must be a positive value");
  EXPECT_EQ(range("limit=x"), "could not parse 'limit' parameter: 'x' is not a whole number");
  EXPECT_EQ(range("limit=1001"), "max entries limit per query exceeded, limit > messages.rows_max (1001 > 1000)");
  EXPECT_EQ(range("direction=up"), "invalid direction 'up'");
  EXPECT_EQ(range("interval=1s"), "the parameter 'interval' is not supported");
  EXPECT_EQ(error("query_range?query=vector(1)&step=-1"),
            "zero or negative query resolution step widths are not accepted. Try a positive integer");
  EXPECT_EQ(
      error("query_range?query=vector(1)&start=0&end=110011&step=10"),
      "exceeded maximum resolution of 11,000 points per time series. Try increasing the value of the step parameter");
  EXPECT_EQ(error("query?query=%7Bjob=%22a%22%7D"),
            "log queries are not supported as an instant query type, please change your query to a range query type");
  EXPECT_EQ(error("query_range"), "parse error at line 1, col 1: syntax error: unexpected $end");
  EXPECT_EQ(error("label/a-b/values"), "invalid label name 'a-b'");
}

TEST_F(LokiApi, Streams) {
  EXPECT_EQ(get("query_range?limit=1&query=%7Bjob=~%22.%2B%22%7D"),
            R"({"status":"success","data":{"resultType":"streams","result":[{"stream":{"job":"b"},)"
            R"("values":[["1699999994999999999","late"]]}],"stats":{}}})");
  EXPECT_EQ(get("query_range?limit=1&direction=FORWARD&query=%7Bjob=~%22.%2B%22%7D", "", "categorize-labels"),
            R"({"status":"success","data":{"resultType":"streams","encodingFlags":["categorize-labels"],"result":[)"
            R"({"stream":{"job":"a"},"values":[["1699996400000000000","an hour ago",{}]]}],"stats":{}}})");
}

TEST_F(LokiApi, Forms) {
  const std::string form = "query=sum(count_over_time(%7Bjob%3D%22b%22%7D%5B10s%5D))&time=1700000000";
  EXPECT_EQ(get("query", form), get("query?" + form));
  EXPECT_EQ(
      get("query", form),
      R"({"status":"success","data":{"resultType":"vector","result":[{"metric":{},"value":[1700000000,"1"]}],"stats":{}}})");
  EXPECT_EQ(ask("query", "query=%zz").status, 400);
}

TEST_F(LokiApi, Steps) {
  const auto matrix = [](const std::string& points) {
    return R"({"status":"success","data":{"resultType":"matrix","result":[{"metric":{},"values":[)" + points +
           R"(]}],"stats":{}}})";
  };
  EXPECT_EQ(get("query_range?query=vector(1)&start=10&end=11.5&step=500ms"),
            matrix(R"([10,"1"],[10.500,"1"],[11,"1"],[11.500,"1"])"));
  EXPECT_EQ(get("query_range?query=0.5*3&start=10&end=12"), matrix(R"([10,"1.5"],[11,"1.5"],[12,"1.5"])"));
  EXPECT_EQ(get("query_range?query=vector(1)&start=0&end=1000&step=1000"), matrix(R"([0,"1"],[1000,"1"])"));
  EXPECT_EQ(get("query_range?query=vector(1)&start=0&end=750"),
            get("query_range?query=vector(1)&start=0&end=750&step=3"));
  EXPECT_EQ(get("query?query=1%2B1&time=10.25"),
            R"({"status":"success","data":{"resultType":"scalar","result":[10.250,"2"],"stats":{}}})");
  EXPECT_EQ(error("query_range?query=vector(1)&start=0&end=5000&step=1", 422),
            "the answer has more than 1000 points (messages.rows_max)");
}

TEST_F(LokiApi, Lists) {
  EXPECT_EQ(get("labels"), R"({"status":"success","data":["job"]})");
  EXPECT_EQ(get("label/job/values"), R"({"status":"success","data":["a","b"]})");
  EXPECT_EQ(get("label/job/values?query=%7Bjob=%22b%22%7D"), R"({"status":"success","data":["b"]})");
  EXPECT_EQ(get("label/job/values?since=1h"), R"({"status":"success","data":["a","b"]})");
  EXPECT_EQ(get("series?match[]=%7Bjob=%22a%22%7D&match[]=%7Bjob=%22b%22%7D"),
            R"({"status":"success","data":[{"job":"a"},{"job":"b"}]})");
  EXPECT_EQ(get("series", "match%5B%5D=%7Bjob%3D%22b%22%7D"), R"({"status":"success","data":[{"job":"b"}]})");
  EXPECT_EQ(get("index/stats?query=%7Bjob=%22a%22%7D&since=2h"), R"({"streams":1,"chunks":1,"bytes":17,"entries":2})");
}

TEST_F(LokiApi, OthersSeeNothing) {
  tenant_ = "other";
  EXPECT_EQ(lines("since=2h"), 0U);
  EXPECT_EQ(get("labels"), R"({"status":"success","data":[]})");
  tenant_ = "";
  EXPECT_EQ(error("labels"), "the request names no tenant");
}

TEST_F(LokiApi, ErrorsOfTheStore) {
  messages_.fails = true;
  const Response response = ask("query_range?query=%7Bjob=%22a%22%7D");
  EXPECT_EQ(response.status, 503);
  EXPECT_EQ(response.body, "the store is away\n");
}

TEST(LokiAnswer, Numbers) {
  EXPECT_EQ(loki_number(0.1), "0.1");
  EXPECT_EQ(loki_number(1e21), "1000000000000000000000");
  EXPECT_EQ(loki_number(-1.0 / 0.0), "-Inf");
  EXPECT_EQ(loki_number(0.0 / 0.0), "NaN");
  EXPECT_EQ(loki_seconds(1'700'000'000'000'000'000), "1700000000");
  EXPECT_EQ(loki_seconds(1'700'000'000'007'999'999), "1700000000.007");
}

}  // namespace
}  // namespace varve::api
