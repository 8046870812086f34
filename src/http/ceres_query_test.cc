// SPDX-License-Identifier: Apache-2.0
// Ceres' handlers over a store in memory: which answer a URL gets.
#include "http/ceres_query.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <iomanip>
#include <mutex>
#include <regex>
#include <sstream>

#include "http/admin_queries.h"
#include "http/answer.h"
#include "http/url.h"
#include "storage/testing/memory_store.h"

namespace varve::http {
namespace {

using model::Value;

class WaitingSink final : public Responder::Sink {
 public:
  void send(Response response) override {
    const std::lock_guard lock(mutex_);
    response_ = std::move(response);
    done_ = true;
    sent_.notify_all();
  }
  Response wait() {
    std::unique_lock lock(mutex_);
    sent_.wait(lock, [&] { return done_; });
    return std::move(response_);
  }

 private:
  std::mutex mutex_;
  std::condition_variable sent_;
  bool done_ = false;
  Response response_;
};

constexpr std::int64_t kMinute = 60'000;
constexpr std::int64_t kHour = 60 * kMinute;
constexpr std::int64_t kDay = 24 * kHour;
constexpr model::Timestamp kNow = 1'617'192'000'000;  // 2021-03-31T12:00:00Z

class CeresQueryTest : public testing::Test {
 protected:
  CeresQueryTest() {
    const CeresContext context{engine_,
                               pool_,
                               metrics_,
                               {6 * kHour, {{5 * kMinute, 14 * kDay}, {kHour, 365 * kDay}, {2 * kHour, 500 * kDay}}}};
    router_.add(Method::get, "/api/query", make_ceres_query(context));
    add_ceres_metadata(router_, context);
    add_admin_queries(router_, engine_, pool_);
  }

  // Times are minutes before (negative) or after 10:00 of the day.
  void put(std::string_view metric, model::TagViews tags, double minute, const Value& value,
           std::string_view tenant = "t-1") {
    store_.put(tenant, metric, std::move(tags), kNow - 2 * kHour + static_cast<std::int64_t>(minute * kMinute), value);
  }
  void put_hosts() {
    for (const auto& [host, os, value] :
         {std::tuple("h-1", "linux", 1.5), {"h-2", "linux", 2.0}, {"h-3", "bsd", 3.0}}) {
      put("cpu", {{"host", host}, {"os", os}, {"metricGroup", "CPU"}, {"resource", host}}, 0, Value::of_double(value));
    }
    put("load", {{"host", "h-1"}, {"metricGroup", "CPU"}, {"resource", "h-1"}}, 1, Value::of_long(7));
    put("disk", {{"host", "h-1"}, {"metricGroup", "Disk"}, {"resource", "h-1"}}, 1, Value::of_long(8));
  }

  Response ask(Method method, const std::string& target, std::string_view body = {}, std::string tenant = "t-1") {
    Request request;
    request.method = method;
    request.tenant = std::move(tenant);
    request.body = body;
    EXPECT_TRUE(parse_target(target, request.path, request.query)) << target;
    const Router::Match match = router_.find(method, request.path);
    if (match.handler == nullptr) return error_response(404, "", request.path);
    auto sink = std::make_shared<WaitingSink>();
    (*match.handler)(request, Responder(sink));
    Response response = sink->wait();
    if (response.more) {
      for (std::string piece;;) {
        response.more(piece);
        if (piece.empty()) break;
        ++pieces_;
        response.body += piece;
      }
    }
    return response;
  }
  std::string get(const std::string& target) {
    const Response response = ask(Method::get, target);
    EXPECT_EQ(response.status, 200) << target << " " << response.body;
    return response.body;
  }
  std::string search(std::string_view body) {
    const Response response = ask(Method::post, "/api/metadata/search", body);
    EXPECT_EQ(response.status, 200) << body << " " << response.body;
    return response.body;
  }
  // tags[host]=values of each element.
  std::string hosts(const std::string& target) {
    const std::string body = get(target);
    static const std::regex element(
        R"x("metricName":"([^"]*)","tags":\{"host":"([^"]*)"[^}]*\},"values":\{([^}]*)\})x");
    std::string out;
    for (auto at = std::sregex_iterator(body.begin(), body.end(), element); at != std::sregex_iterator(); ++at) {
      out += (out.empty() ? "" : " ") + (*at)[1].str() + "/" + (*at)[2].str();
    }
    return out;
  }
  // The values of the only series.
  std::string values(const std::string& parameters) {
    const std::string body = get("/api/query?metricName=m&" + parameters);
    const auto from = body.find(R"("values":{)");
    if (from == std::string::npos) return body;
    EXPECT_EQ(body.find(R"("values":{)", from + 1), std::string::npos);
    const auto to = body.find('}', from);
    std::string out;
    for (const char c : body.substr(from + 10, to - from - 10)) {
      if (c != '"') out += c;
    }
    return out;
  }
  std::string granularity(const std::string& parameters) {
    const std::string body = get("/api/query?metricName=m&aggregator=max&" + parameters);
    const auto from = body.find(R"("granularity":")");
    return from == std::string::npos ? body : body.substr(from + 15, body.find('"', from + 15) - from - 15);
  }

  std::size_t pieces_ = 0;
  storage::testing::MemoryStore store_;
  ManualClock clock_{kNow};
  query::Engine engine_{store_, store_, clock_, {}};
  TaskPool pool_{2};
  Metrics metrics_;
  Router router_;
};

TEST_F(CeresQueryTest, TheWholeShape) {
  put("cpu_idle", {{"os", "linux"}, {"host", "h-1"}}, 0, Value::of_double(477.5));
  put("cpu_idle", {{"os", "linux"}, {"host", "h-1"}}, 0.0125, Value::of_long(3));
  EXPECT_EQ(get("/api/query?metricName=cpu_idle&start=2021-03-31T09:00:00Z&end=1617188400"),
            R"([{"data":{"tenant":"t-1","metricName":"cpu_idle","tags":{"host":"h-1","os":"linux"},)"
            R"("values":{"2021-03-31T10:00:00Z":477.5,"2021-03-31T10:00:00.750Z":3}},)"
            R"("metadata":{"aggregator":"raw","startTime":"2021-03-31T09:00:00Z","endTime":"2021-03-31T11:00:00Z"}}])");
  EXPECT_EQ(get("/api/query?metricName=cpu_idle&start=3h-ago&aggregator=count&granularity=1h"),
            R"([{"data":{"tenant":"t-1","metricName":"cpu_idle","tags":{"host":"h-1","os":"linux"},)"
            R"("values":{"2021-03-31T10:00:00Z":2}},)"
            R"("metadata":{"aggregator":"count","startTime":"2021-03-31T09:00:00Z","endTime":"2021-03-31T12:00:00Z",)"
            R"("granularity":"PT1H"}}])");
  EXPECT_EQ(get("/api/query?metricName=nothing&start=1d-ago"), "[]");
  EXPECT_EQ(get("/api/query?metricGroup=nothing&start=1d-ago"), "[]");
  EXPECT_EQ(get("/api/query?metricName=cpu_idle&start=1h-ago"), "[]");
}

TEST_F(CeresQueryTest, OneElementASeries) {
  put_hosts();
  EXPECT_EQ(hosts("/api/query?metricName=cpu&start=1d-ago"), "cpu/h-1 cpu/h-2 cpu/h-3");
  EXPECT_EQ(hosts("/api/query?metricName=cpu&start=1d-ago&tag=os=linux"), "cpu/h-1 cpu/h-2");
  EXPECT_EQ(hosts("/api/query?metricName=cpu&start=1d-ago&tag=os=linux&tag=host=h-2"), "cpu/h-2");
  EXPECT_EQ(hosts("/api/query?metricName=cpu&start=1d-ago&tag=os=linux,host=h-2,"), "cpu/h-2");
  EXPECT_EQ(hosts("/api/query?metricName=cpu&start=1d-ago&tag=os=bsd,host=h-2"), "");
  EXPECT_EQ(hosts("/api/query?metricName=cpu&start=1d-ago&tag=os=lin*"), "");
  EXPECT_EQ(hosts("/api/query?metricName=cpu&start=1d-ago&tag=nokey=x"), "");
  EXPECT_EQ(hosts("/api/query?metricGroup=CPU&start=1d-ago"), "cpu/h-1 cpu/h-2 cpu/h-3 load/h-1");
  EXPECT_EQ(hosts("/api/query?metricGroup=CPU&start=1d-ago&tag=host=h-1"), "cpu/h-1 load/h-1");
  EXPECT_EQ(hosts("/api/query?metricGroup=Disk&start=1d-ago&aggregator=max"), "disk/h-1");
  EXPECT_EQ(hosts("/api/query?metricGroup=CP&start=1d-ago"), "");
}

TEST_F(CeresQueryTest, Aggregators) {
  for (const auto& [minute, value] : {std::pair(0.5, 1.5), {1.5, 2.5}, {2.5, 3.0}, {4.0, 1.0}, {15.0, -4.0}}) {
    put("m", {{"host", "a"}}, minute, Value::of_double(value));
  }
  const std::string ask = "start=3h-ago&granularity=5m&aggregator=";
  EXPECT_EQ(values(ask + "min"), "2021-03-31T10:00:00Z:1,2021-03-31T10:15:00Z:-4");
  EXPECT_EQ(values(ask + "max"), "2021-03-31T10:00:00Z:3,2021-03-31T10:15:00Z:-4");
  EXPECT_EQ(values(ask + "sum"), "2021-03-31T10:00:00Z:8,2021-03-31T10:15:00Z:-4");
  EXPECT_EQ(values(ask + "avg"), "2021-03-31T10:00:00Z:2,2021-03-31T10:15:00Z:-4");
  EXPECT_EQ(values(ask + "count"), "2021-03-31T10:00:00Z:4,2021-03-31T10:15:00Z:1");
  EXPECT_EQ(values("start=3h-ago&aggregator=raw&end=2021-03-31T10:02:00Z"),
            "2021-03-31T10:00:30Z:1.5,2021-03-31T10:01:30Z:2.5");
  // Unequal counts: the average of an hour is one of samples, not of windows.
  EXPECT_EQ(values("start=3h-ago&granularity=PT1H&aggregator=avg"), "2021-03-31T10:00:00Z:0.8");
}

// The numbers that Ceres' own tests ask for.
TEST_F(CeresQueryTest, NumbersOfTheOriginal) {
  struct Case {
    std::string name;
    std::vector<std::pair<std::string, double>> samples;  // mm:ss and value
    std::string granularity;
    std::string min, max, sum, count, avg;  // mm=value of each window
  };
  const Case cases[] = {
      {"a gauge",
       {{"15:31", 1.2}, {"16:23", 2.5}, {"17:12", 3.1}, {"18:56", 1.1}},
       "PT5M",
       "15=1.1 ",
       "15=3.1 ",
       "15=7.9 ",
       "15=4 ",
       "15=1.975 "},
      {"15 minutes",
       {{"01:00", 1.0}, {"04:00", 1.2}, {"14:00", 1.4}},
       "15m",
       "00=1 ",
       "00=1.4 ",
       "00=3.6 ",
       "00=3 ",
       "00=1.2 "},
      {"a second window",
       {{"01:00", 1.0}, {"04:00", 1.2}, {"14:00", 1.4}, {"16:00", 1.6}},
       "15m",
       "00=1 15=1.6 ",
       "00=1.4 15=1.6 ",
       "00=3.6 15=1.6 ",
       "00=3 15=1 ",
       "00=1.2 15=1.6 "},
      {"a counter",
       {{"35:00", 12}, {"36:30", 25}, {"38:00", 31}, {"39:59", 11}},
       "PT5M",
       "35=11 ",
       "35=31 ",
       "35=79 ",
       "35=4 ",
       "35=19.75 "},
      {"an hour",
       {{"01:23", 1.2}, {"16:11", 1.5}, {"31:21", 1.1}, {"47:01", 3.4}},
       "PT60M",
       "00=1.1 ",
       "00=3.4 ",
       "00=7.2 ",
       "00=4 ",
       "00=1.8 "},
      {"unequal counts",
       {{"01:00", 1}, {"02:00", 1}, {"03:00", 1}, {"06:00", 4}},
       "10m",
       "00=1 ",
       "00=4 ",
       "00=7 ",
       "00=4 ",
       "00=1.75 "},
      {"all negative", {{"01:00", -5}, {"02:00", -3}}, "5m", "00=-5 ", "00=-3 ", "00=-8 ", "00=2 ", "00=-4 "},
      {"groups",
       {{"02:00", 1}, {"03:00", 1}, {"15:00", 1}, {"16:00", 1}, {"17:00", 1}, {"22:00", 1}, {"23:00", 1}},
       "5m",
       "00=1 15=1 20=1 ",
       "00=1 15=1 20=1 ",
       "00=2 15=3 20=2 ",
       "00=2 15=3 20=2 ",
       "00=1 15=1 20=1 "}};
  for (const Case& c : cases) {
    const std::string host = "h" + std::to_string(&c - cases);
    for (const auto& [time, value] : c.samples) {
      put("n", {{"host", host}}, std::stod(time.substr(0, 2)) + std::stod(time.substr(3)) / 60,
          Value::of_double(value));
    }
    const auto ask_for = [&](const std::string& aggregator) {
      const std::string body = get("/api/query?metricName=n&tag=host=" + host +
                                   "&start=3h-ago&granularity=" + c.granularity + "&aggregator=" + aggregator);
      static const std::regex point(R"x("2021-03-31T10:(\d\d):00Z":([^,}]*))x");
      std::string out;
      for (auto at = std::sregex_iterator(body.begin(), body.end(), point); at != std::sregex_iterator(); ++at) {
        std::ostringstream number;  // sums of decimals have their last digit from rounding
        number << std::setprecision(12) << std::stod((*at)[2].str());
        out += (*at)[1].str() + "=" + number.str() + " ";
      }
      return out;
    };
    EXPECT_EQ(ask_for("min"), c.min) << c.name;
    EXPECT_EQ(ask_for("max"), c.max) << c.name;
    EXPECT_EQ(ask_for("sum"), c.sum) << c.name;
    EXPECT_EQ(ask_for("count"), c.count) << c.name;
    EXPECT_EQ(ask_for("avg"), c.avg) << c.name;
  }
}

TEST_F(CeresQueryTest, WindowsThatBeginInTheRangeAreWhole) {
  for (int minute = 0; minute < 20; ++minute) put("m", {{"host", "a"}}, minute, Value::of_long(1));
  const std::string ask = "aggregator=sum&granularity=PT5M&";
  EXPECT_EQ(values(ask + "start=2021-03-31T10:02:00Z&end=2021-03-31T10:11:00Z"),
            "2021-03-31T10:05:00Z:5,2021-03-31T10:10:00Z:5");
  EXPECT_EQ(values(ask + "start=2021-03-31T10:05:00Z&end=2021-03-31T10:10:00Z"), "2021-03-31T10:05:00Z:5");
  EXPECT_EQ(values(ask + "start=2021-03-31T10:06:00Z&end=2021-03-31T10:09:00Z"), "[]");
  // Of a width that divides no day, windows are counted from 1970.
  EXPECT_EQ(values("aggregator=sum&granularity=13m&start=2021-03-31T10:00:00Z&end=2021-03-31T10:10:00Z"),
            "2021-03-31T10:02:00Z:13");
}

TEST_F(CeresQueryTest, AutomaticGranularity) {
  for (const std::int64_t day : {0, -10, -300, -450}) {
    put("m", {{"host", "a"}}, static_cast<double>(day) * 24 * 60, Value::of_long(1));
  }
  EXPECT_EQ(granularity("start=3h-ago"), "PT5M");
  EXPECT_EQ(granularity("start=15d-ago"), "PT1H");
  EXPECT_EQ(granularity("start=400d-ago"), "PT2H");
  EXPECT_EQ(granularity("start=301d-ago&end=299d-ago"), "PT1H");  // two days, but long ago
  EXPECT_EQ(granularity("start=9y-ago"), "PT2H");
  EXPECT_EQ(granularity("start=15d-ago&granularity=10m"), "PT10M");
}

TEST_F(CeresQueryTest, NumbersOnly) {
  put("m", {{"host", "a"}}, 0, Value::of_string("text"));
  EXPECT_EQ(get("/api/query?metricName=m&start=1d-ago"), "[]");
  put("m", {{"host", "a"}}, 1, Value::of_long(9'007'199'254'740'993));
  EXPECT_EQ(values("start=1d-ago"), "2021-03-31T10:01:00Z:9007199254740993");
  EXPECT_EQ(values("start=1d-ago&aggregator=count&granularity=1h"), "2021-03-31T10:00:00Z:1");
}

TEST_F(CeresQueryTest, TimesBefore1970) {
  store_.put("t-1", "m", {{"host", "a"}}, -90'000, Value::of_long(1));
  EXPECT_EQ(values("start=-200&end=0"), "1969-12-31T23:58:30Z:1");
  EXPECT_EQ(values("start=-200&end=0&aggregator=sum&granularity=1m"), "1969-12-31T23:58:00Z:1");
}

TEST_F(CeresQueryTest, ALargeAnswerComesInPieces) {
  for (int i = 0; i < 10'000; ++i) store_.put("t-1", "m", {{"host", "a"}}, kNow - kHour + i, Value::of_long(i));
  const std::string body = get("/api/query?metricName=m&start=1h-ago");
  EXPECT_GE(pieces_, 3U);
  EXPECT_EQ(std::count(body.begin(), body.end(), 'T'), 10'004);  // two of them in names
  EXPECT_TRUE(body.ends_with(R"("endTime":"2021-03-31T12:00:00Z"}}])"));
}

TEST_F(CeresQueryTest, Errors) {
  const auto error = [&](const std::string& target) {
    const Response response = ask(Method::get, target);
    static const std::regex shape(
        R"x(\{"timestamp":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00","path":"/api/[a-zA-Z/]+","status":400,)x"
        R"x("error":"Bad Request","message":"(.*)","requestId":"[0-9a-f]{8}-[0-9a-f]+"\})x");
    std::smatch match;
    EXPECT_EQ(response.status, 400) << target;
    EXPECT_TRUE(std::regex_match(response.body, match, shape)) << response.body;
    return match.size() < 2 ? response.body : match[1].str();
  };
  EXPECT_EQ(error("/api/query?metricName=m"), "Required parameter 'start' is not present");
  EXPECT_EQ(error("/api/query?metricName=m&metricGroup=g&start=0"),
            "Either metricName or metricGroup must be given, and not both");
  EXPECT_EQ(error("/api/query?metricName=m&start=1ss-ago").substr(0, 28), "Invalid relative time format");
  EXPECT_EQ(error("/api/query?metricName=m&start=0&tenant=t-2").substr(0, 43),
            "the parameter tenant cannot choose a tenant");
  EXPECT_EQ(error("/api/metadata/tagKeys"), "Required parameter 'metricName' is not present");
  EXPECT_EQ(error("/api/metadata/tagValues?metricName=m"), "Required parameter 'tagKey' is not present");
  EXPECT_EQ(error("/api/metadata/tags"), "Either metricName or metricGroup must be given, and not both");
  EXPECT_EQ(error("/api/metadata/tenants?tenant=t-2").substr(0, 20), "the parameter tenant");
  EXPECT_EQ(error("/api/metadata/devices?limit=x"), "the parameter limit must be a whole number, 0 or more");
  EXPECT_EQ(ask(Method::post, "/api/metadata/search", "nonsense").status, 400);
  EXPECT_EQ(ask(Method::get, "/api/query?metricName=m&start=0", "", "").status, 400);
}

TEST_F(CeresQueryTest, Metadata) {
  put_hosts();
  EXPECT_EQ(get("/api/metadata/tenants"), R"(["t-1"])");
  EXPECT_EQ(get("/api/metadata/metricNames"), R"(["cpu","disk","load"])");
  EXPECT_EQ(get("/api/metadata/metricNames?device=h-1"), R"(["cpu","disk","load"])");
  EXPECT_EQ(get("/api/metadata/metricNames?device=h-3"), R"(["cpu"])");
  EXPECT_EQ(get("/api/metadata/metricNames?device=h-9"), "[]");
  EXPECT_EQ(get("/api/metadata/metricNames?metricGroup=CPU"), R"(["cpu","load"])");
  EXPECT_EQ(get("/api/metadata/metricGroups"), R"(["CPU","Disk"])");
  EXPECT_EQ(get("/api/metadata/devices"), R"(["h-1","h-2","h-3"])");
  EXPECT_EQ(get("/api/metadata/devices?offset=1&limit=1"), R"(["h-2"])");
  EXPECT_EQ(get("/api/metadata/tagKeys?metricName=cpu"), R"(["host","metricGroup","os","resource"])");
  EXPECT_EQ(get("/api/metadata/tagKeys?metricName=nothing"), "[]");
  EXPECT_EQ(get("/api/metadata/tagValues?metricName=cpu&tagKey=os"), R"(["bsd","linux"])");
  EXPECT_EQ(get("/api/metadata/tagValues?metricName=load&tagKey=os"), "[]");
  EXPECT_EQ(get("/api/metadata/tags?metricName=cpu"),
            R"({"tenantId":"t-1","metric":"cpu",)"
            R"("tags":{"host":"h-3","metricGroup":"CPU","os":"linux","resource":"h-3"},)"
            R"("tagValues":{"host":["h-1","h-2","h-3"],"metricGroup":["CPU"],"os":["bsd","linux"],)"
            R"("resource":["h-1","h-2","h-3"]}})");
  EXPECT_EQ(get("/api/metadata/tags?metricGroup=Disk"),
            R"({"tenantId":"t-1","metricGroup":"Disk","tags":{"host":"h-1","metricGroup":"Disk","resource":"h-1"},)"
            R"("tagValues":{"host":["h-1"],"metricGroup":["Disk"],"resource":["h-1"]}})");
  EXPECT_EQ(get("/api/metadata/tags?metricName=nothing"),
            R"({"tenantId":"t-1","metric":"nothing","tags":{},"tagValues":{}})");
  const Response paged = ask(Method::get, "/api/metadata/metricNames?limit=2");
  EXPECT_EQ(paged.body, R"(["cpu","disk"])");
  EXPECT_EQ(paged.headers, (std::vector<std::pair<std::string, std::string>>{{"X-Total-Count", "3"}}));
}

TEST_F(CeresQueryTest, Search) {
  put_hosts();
  EXPECT_EQ(
      search(R"({"filter":[{"filterKey":"tags.metricGroup","filterValue":"CP*"}],"includeFields":["metricName"]})"),
      R"([{"metricName":"cpu"},{"metricName":"load"}])");
  EXPECT_EQ(search(R"({"filter":[{"filterKey":"metricName","filterValue":"?oa*"}]})"),
            R"([{"metricName":"load","tags":{"host":"h-1","metricGroup":"CPU","resource":"h-1"}}])");
  EXPECT_EQ(search(R"({"includeFields":["tags.host"]})"),
            R"([{"tags":{"host":"h-1"}},{"tags":{"host":"h-2"}},{"tags":{"host":"h-3"}}])");
  EXPECT_EQ(search(R"({"includeFields":["tags.os"]})"), R"([{"tags":{"os":"bsd"}},{"tags":{"os":"linux"}}])");
  EXPECT_EQ(
      search(R"({"filter":[{"filterKey":"tags.os","filterValue":"*"},{"filterKey":"tags.host","filterValue":"h-1"}],
                       "excludeFields":["tags.metricGroup","tags.resource"]})"),
      R"([{"metricName":"cpu","tags":{"host":"h-1","os":"linux"}}])");
  EXPECT_EQ(search(R"({"filter":[{"filterKey":"tags.os","filterValue":"lin"}]})"), "[]");
  EXPECT_EQ(search(R"({"filter":[{"filterKey":"tags.os","filterValue":"l.*"}]})"), "[]");
  EXPECT_EQ(search(R"({"includeFields":["metricName"],"offset":1,"limit":1})"), R"([{"metricName":"disk"}])");
  EXPECT_EQ(search(R"({"excludeFields":["metricName","tags"]})"), "[]");
  const std::string all = search("{}");
  EXPECT_EQ(std::count(all.begin(), all.end(), 'N'), 5) << all;  // metricName
}

TEST_F(CeresQueryTest, MoreThanTen) {
  for (int i = 0; i < 2000; ++i)
    put("m" + std::to_string(i), {{"host", "h-" + std::to_string(i % 7)}}, 0, Value::of_long(1));
  const Response all = ask(Method::post, "/api/metadata/search", "{}");
  EXPECT_EQ(std::count(all.body.begin(), all.body.end(), 'N'), 2000);
  EXPECT_EQ(all.headers[0].second, "2000");
  EXPECT_GE(pieces_, 1U);
}

TEST_F(CeresQueryTest, NothingOfAnotherTenant) {
  put_hosts();
  for (const char* target :
       {"/api/query?metricName=cpu&start=0", "/api/query?metricGroup=CPU&start=0", "/api/metadata/tenants",
        "/api/metadata/metricNames", "/api/metadata/metricGroups", "/api/metadata/devices",
        "/api/metadata/tagKeys?metricName=cpu", "/api/metadata/tagValues?metricName=cpu&tagKey=os"}) {
    EXPECT_EQ(ask(Method::get, target, "", "t-2").body, "[]") << target;
  }
  EXPECT_EQ(ask(Method::post, "/api/metadata/search", "{}", "t-2").body, "[]");
  EXPECT_EQ(ask(Method::get, "/api/metadata/tags?metricName=cpu", "", "t-2").body,
            R"({"tenantId":"t-2","metric":"cpu","tags":{},"tagValues":{}})");
  put("cpu", {{"host", "x"}}, 0, Value::of_long(1), "t-2");
  EXPECT_EQ(ask(Method::get, "/api/metadata/tenants", "", "t-2").body, R"(["t-2"])");
}

TEST_F(CeresQueryTest, CountsQueries) {
  get("/api/query?metricName=cpu&start=0");
  get("/api/metadata/devices");
  EXPECT_NE(metrics_.text().find("varve_queries_total{api=\"ceres\"} 1\n"), std::string::npos) << metrics_.text();
  EXPECT_NE(metrics_.text().find("varve_queries_total{api=\"ceres_metadata\"} 1\n"), std::string::npos);
  EXPECT_NE(metrics_.text().find("varve_query_seconds_count 2\n"), std::string::npos);
}

TEST_F(CeresQueryTest, NothingRuns) {
  EXPECT_EQ(get("/api/v1/admin/runningqueries"), R"({"queries":[],"queries waiting":0})");
  EXPECT_EQ(ask(Method::get, "/api/v1/admin/killquery/abc").status, 204);
  EXPECT_EQ(ask(Method::delete_, "/api/v1/admin/killquery/abc").status, 404);
}

// A store whose scans go on until they are cancelled.
class EndlessStore final : public storage::SampleStore {
 public:
  explicit EndlessStore(storage::testing::MemoryStore& store) : store_(store) {}
  void append(const model::RowBatch& batch, AppendDone done) override { store_.append(batch, std::move(done)); }
  Status scan(model::TenantId tenant, std::span<const model::SeriesId> series, const storage::ScanOptions& options,
              storage::PieceSink& sink) override {
    VARVE_CHECK_OK(store_.scan(tenant, series, options, sink));
    scanning_ = true;
    scanning_.notify_all();
    options.cancelled->wait(false);
    return fail(Code::cancelled, "cancelled");
  }
  Result<storage::SettleReport> settle() override { return storage::SettleReport{}; }
  [[nodiscard]] storage::StorageBytes storage_bytes() const override { return {}; }
  void wait() const { scanning_.wait(false); }

 private:
  storage::testing::MemoryStore& store_;
  std::atomic<bool> scanning_{false};
};

TEST_F(CeresQueryTest, AKilledQuerySaysSo) {
  put("m", {{"host", "a"}}, 0, Value::of_long(1));
  put("m", {{"host", "a"}}, 1, Value::of_long(1));
  EndlessStore endless(store_);
  query::Engine engine(store_, endless, clock_, {});
  router_ = {};
  router_.add(Method::get, "/api/query", make_ceres_query({engine, pool_, metrics_, {}}));
  add_admin_queries(router_, engine, pool_);

  Request request;
  request.tenant = "t-1";
  request.path = "/api/query";
  request.query = {{"metricName", "m"}, {"start", "1d-ago"}};
  request.gone = std::make_shared<std::atomic<bool>>(false);
  auto sink = std::make_shared<WaitingSink>();
  (*router_.find(Method::get, request.path).handler)(request, Responder(sink));
  endless.wait();

  const std::string list = get("/api/v1/admin/runningqueries");
  static const std::regex shape(
      R"x(\{"queries":\[\{"query hash":"([0-9a-f]{16})","metric name":"m",)x"
      R"x("query JSON":"/api/query\?metricName=m&start=1d-ago","api":"ceres","started":"2021-03-31T12:00:00Z",)x"
      R"x("seconds":0,"samples":2,"bytes":\d+\}\],"queries waiting":0\})x");
  std::smatch match;
  ASSERT_TRUE(std::regex_match(list, match, shape)) << list;
  const std::string kill = "/api/v1/admin/killquery/" + match[1].str();
  // Of another tenant it cannot be seen, nor ended.
  EXPECT_EQ(ask(Method::get, "/api/v1/admin/runningqueries", "", "t-2").body, R"({"queries":[],"queries waiting":0})");
  EXPECT_EQ(ask(Method::delete_, kill, "", "t-2").status, 404);
  EXPECT_EQ(ask(Method::get, kill, "", "t-2").status, 204);
  EXPECT_FALSE(*request.gone);

  EXPECT_EQ(ask(Method::delete_, kill).status, 204);
  const Response killed = sink->wait();
  EXPECT_EQ(killed.status, 422);
  EXPECT_NE(killed.body.find(R"("message":"the query was killed by an operator")"), std::string::npos) << killed.body;
  EXPECT_EQ(get("/api/v1/admin/runningqueries"), R"({"queries":[],"queries waiting":0})");
}

}  // namespace
}  // namespace varve::http
