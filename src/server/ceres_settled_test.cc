// SPDX-License-Identifier: Apache-2.0
// Scripts of samples, time and questions (testdata/ceres/*.txt) over the embedded engine, asked through Ceres' API: the
// numbers of Ceres' own tests and of its known mistakes, before slots are sealed, after it, after late samples and
// after a restart. Times are hours, minutes and seconds of 2021-03-31; hours may go on after 24. A case:
//   == name
//   put metric{k=v} 10:15:31=1.2 10:16=nan …
//   now 10:40                    the clock; it only goes forward
//   settle | restart
//   ask metric{k=v} sum 5m | 10:15=7.9 …      windows of the day; or: ask metric raw -
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <regex>
#include <sstream>

#include "api/ceres/routes.h"
#include "api/testing/waiting_sink.h"
#include "api/testing/whole_context.h"
#include "engine/rocksdb/testing/directory.h"
#include "engine/rocksdb/testing/memory_directories.h"
#include "http/url.h"
#include "model/testing/lengths.h"

namespace varve::server {
namespace {

using engine::rocksdb::Options;
using engine::rocksdb::testing::RocksdbEngine;
using model::Timestamp;

using model::testing::kDay;
using model::testing::kHour;
using model::testing::kMinute;
constexpr Timestamp kMidnight = 1'617'148'800'000;  // 2021-03-31T00:00:00Z

Timestamp time_of(const std::string& text) {
  int hours = 0;
  int minutes = 0;
  double seconds = 0;
  EXPECT_GE(std::sscanf(text.c_str(), "%d:%d:%lf", &hours, &minutes, &seconds), 2) << text;
  return kMidnight + hours * kHour + minutes * kMinute + std::llround(seconds * 1000);
}

class Script {
 public:
  void run(const std::filesystem::path& path) {
    std::ifstream file(path);
    std::string line;
    std::string name;
    int asked = 0;
    while (std::getline(file, line)) {
      std::istringstream words(line);
      std::string word;
      words >> word;
      const std::string rest = line.size() > word.size() ? line.substr(word.size() + 1) : "";
      SCOPED_TRACE(name + ": " + line);
      if (word == "==") {
        name = rest;
      } else if (word == "put") {
        put(rest);
      } else if (word == "now") {
        ASSERT_GE(time_of(rest), clock_.now_ms());
        clock_.advance_ms(time_of(rest) - clock_.now_ms());
      } else if (word == "settle") {
        ASSERT_TRUE(engine_.samples().settle());
      } else if (word == "restart") {
        engine_.restart();
      } else if (word == "ask") {
        const auto bar = rest.find('|');
        ASSERT_NE(bar, std::string::npos);
        const std::string want = rest.size() > bar + 2 ? rest.substr(bar + 2) : "";
        EXPECT_EQ(ask(rest.substr(0, bar)), want);
        ++asked;
      } else {
        ASSERT_TRUE(word.empty()) << "not a line of a script";
      }
    }
    EXPECT_GT(asked, 0);
  }

 private:
  static Options options() {
    Options o;
    o.rollups.levels = {{5 * kMinute, 3 * kDay}, {kHour, rollup::kForEver}, {kDay, rollup::kForEver}};
    o.rollups.counter_suffixes = {"bytes"};
    o.raw_retention_ms = 3 * kDay;
    o.slot_quiet_ms = 10'000 * kDay;  // only `settle` settles
    return o;
  }
  // metric{k=v}
  static std::pair<std::string, model::Tags> series_of(const std::string& text) {
    const auto brace = text.find('{');
    if (brace == std::string::npos) return {text, {{"host", "a"}}};
    const auto equals = text.find('=', brace);
    return {text.substr(0, brace),
            {{text.substr(brace + 1, equals - brace - 1), text.substr(equals + 1, text.size() - equals - 2)}}};
  }
  void put(const std::string& line) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    const auto [metric, tags] = series_of(word);
    storage::testing::Fixture store(engine_);
    const auto group = store.group({metric}, tags, "t-1");
    while (words >> word) {
      const auto equals = word.find('=');
      const double value = std::strtod(word.c_str() + equals + 1, nullptr);
      ASSERT_TRUE(store.put(*group, time_of(word.substr(0, equals)), {model::Value::of_double(value)}));
    }
  }
  // hh:mm=value of each window of the day.
  std::string ask(const std::string& line) {
    std::istringstream words(line);
    std::string word, aggregator, granularity;
    words >> word >> aggregator >> granularity;
    const auto [metric, tags] = series_of(word);
    std::string target = "/api/query?metricName=" + metric + "&tag=" + tags[0].first + "=" + tags[0].second +
                         "&aggregator=" + aggregator + "&start=2021-03-31T00:00:00Z&end=2021-04-01T00:00:00Z";
    if (granularity != "-") target += "&granularity=" + granularity;
    query::Engine engine(engine_.series(), engine_.samples(), clock_, {});
    http::Router router;
    api::add_ceres_routes(router, whole_.of(engine, pool_, metrics_));
    http::Request request;
    request.method = http::Method::get;
    request.tenant = "t-1";
    EXPECT_TRUE(http::parse_target(target, request.path, request.query));
    const http::Response response = api::answer_of(router, request);
    EXPECT_EQ(response.status, 200) << response.body;
    static const std::regex point(R"x("2021-03-31T(\d\d:\d\d):00Z":([^,}]*))x");
    std::string out;
    const auto values = response.body.find("\"values\"");
    const std::string body = values == std::string::npos ? "" : response.body.substr(values);
    for (auto at = std::sregex_iterator(body.begin(), body.end(), point); at != std::sregex_iterator(); ++at) {
      std::ostringstream number;  // sums of decimals have their last digit from rounding
      number << std::setprecision(12) << std::stod((*at)[2].str());
      out += (out.empty() ? "" : " ") + (*at)[1].str() + "=" + number.str();
    }
    return out;
  }

  ManualClock clock_{kMidnight + 10 * kHour + 20 * kMinute};
  RocksdbEngine engine_{options(), clock_};
  TaskPool pool_{1};
  Metrics metrics_;
  storage::testing::MemoryStore empty_;
  api::testing::WholeContext whole_{empty_, clock_};
};

TEST(CeresSettled, rollups) {
  engine::rocksdb::testing::make_directories_in_memory();
  Script script;
  script.run(VARVE_SOURCE_DIR "/testdata/ceres/rollups.txt");
}

}  // namespace
}  // namespace varve::server
