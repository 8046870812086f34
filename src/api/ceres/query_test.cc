// SPDX-License-Identifier: Apache-2.0
// Ceres' handlers over a store in memory: which answer a URL gets.
#include <iomanip>
#include <sstream>

#include "api/testing/ceres_fixture.h"

namespace varve::api {
namespace {

using namespace testing;
class CeresQueryTest : public CeresFixture {};

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

TEST_F(CeresQueryTest, ASeriesWithoutTags) {
  put("bare", {}, 0, Value::of_long(3));
  EXPECT_NE(get("/api/query?metricName=bare&start=1d-ago")
                .find(R"("metricName":"bare","tags":{},"values":{"2021-03-31T10:00:00Z":3}})"),
            std::string::npos);
}

// What is stamped ahead is there for who asks for it; without an end a question ends now.
TEST_F(CeresQueryTest, TheFuture) {
  put("m", {{"host", "a"}}, 119, Value::of_long(1));
  put("m", {{"host", "a"}}, 120, Value::of_long(2));                // now
  put("m", {{"host", "a"}}, 120 + 2 * 24 * 60, Value::of_long(4));  // in two days
  EXPECT_EQ(values("start=1d-ago"), "2021-03-31T11:59:00Z:1");
  EXPECT_EQ(values("start=1d-ago&end=2021-04-02T12:00:00Z"), "2021-03-31T11:59:00Z:1,2021-03-31T12:00:00Z:2");
  EXPECT_EQ(values("start=1d-ago&end=2021-04-02T12:00:00.001Z&aggregator=sum&granularity=1d"),
            "2021-03-31T00:00:00Z:3,2021-04-02T00:00:00Z:4");
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

TEST_F(CeresQueryTest, Counters) {
  for (const auto& [minute, value] : {std::pair(-2.5, 0), {2.5, 3000}, {7.5, 9000}, {12.5, 100}, {17.5, 100}}) {
    put("m", {{"host", "a"}}, minute, Value::of_long(value));
  }
  EXPECT_EQ(values("start=3h-ago&granularity=5m&aggregator=increase"),
            "2021-03-31T09:55:00Z:1500,2021-03-31T10:00:00Z:4500,2021-03-31T10:05:00Z:3000,2021-03-31T10:10:00Z:0,"
            "2021-03-31T10:15:00Z:0");
  EXPECT_EQ(values("start=2h-ago&end=2021-03-31T10:05:00Z&granularity=5m&aggregator=counter_rate"),
            "2021-03-31T10:00:00Z:15")
      << "what is around the range";
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

TEST_F(CeresQueryTest, CountsQueries) {
  get("/api/query?metricName=cpu&start=0");
  get("/api/metadata/devices");
  EXPECT_NE(metrics_.text().find("varve_queries_total{api=\"ceres\"} 1\n"), std::string::npos) << metrics_.text();
  EXPECT_NE(metrics_.text().find("varve_queries_total{api=\"ceres_metadata\"} 1\n"), std::string::npos);
  EXPECT_NE(metrics_.text().find("varve_query_seconds_count{api=\"ceres\"} 1\n"), std::string::npos);
  EXPECT_NE(metrics_.text().find("varve_query_seconds_count{api=\"ceres_metadata\"} 1\n"), std::string::npos);
}

TEST_F(CeresQueryTest, SaysWhatItRead) {
  put("m", {{"host", "a"}}, 0, Value::of_long(1));
  const Response response = ask(Method::get, "/api/query?metricName=m&aggregator=raw&start=1d-ago");
  EXPECT_EQ(response.status, 200) << response.body;
  EXPECT_EQ(header_of(response, "Varve-Read"), "series=1, samples=1, ms=0.000");
}

}  // namespace
}  // namespace varve::api
