// SPDX-License-Identifier: Apache-2.0
#include "api/catalog/windows.h"

#include "api/catalog/routes.h"
#include "api/testing/memory_api.h"
#include "model/testing/lengths.h"

namespace varve::api {
namespace {

using model::Value;

using model::testing::kDay;
using model::testing::kHour;

class CatalogWindowsTest : public testing::MemoryApi {
 protected:
  CatalogWindowsTest() : MemoryApi("/api/v1/catalog/") {
    add_catalog_routes(router_, whole_.of(engine_, pool_, metrics_));
    store_.put("t", "cpu", {{"host", "a"}}, -1, Value::of_double(1.5));
    store_.put("t", "cpu", {{"host", "a"}}, 5, Value::of_string("x"));
    store_.put("t", "cpu", {{"host", "a"}}, kHour, Value::of_long(1));
    store_.put("t", "cpu", {{"host", "b"}}, 3 * kDay + 1, Value::of_long(1));
    store_.put("t", "cpu", {{"host", "b"}}, 3, Value::of_long(1));
    store_.put("other", "cpu", {{"host", "z"}}, 5, Value::of_long(1));
  }
};

constexpr const char* kBefore = R"({"start":-86400000,"end":0,"series":1,"points":1,"first_seen":-1})";
constexpr const char* kFirst = R"({"start":0,"end":86400000,"series":2,"points":3,"first_seen":3})";
constexpr const char* kLater = R"({"start":259200000,"end":345600000,"series":1,"points":1,"first_seen":259200001})";

std::string windows_of(std::initializer_list<const char*> windows, const std::string& next = {}) {
  std::string out = R"({"windows":[)";
  for (const char* const window : windows) out.append(out.back() == '[' ? "" : ",").append(window);
  return out + "]" + (next.empty() ? "" : R"(,"next":")" + next + "\"") + "}";
}

TEST_F(CatalogWindowsTest, OfAMetric) {
  EXPECT_EQ(get("windows?metric=cpu"), windows_of({kBefore, kFirst, kLater}));
  EXPECT_EQ(get("windows?metric=cpu&width=24h"), windows_of({kBefore, kFirst, kLater}));
  EXPECT_EQ(get("windows?metric=cpu&width=366d&start=0"),
            windows_of({R"({"start":0,"end":31622400000,"series":2,"points":4,"first_seen":3})"}));
  EXPECT_EQ(get("windows?metric=cpu&width=1h&tag=host=a"),
            windows_of({R"({"start":-3600000,"end":0,"series":1,"points":1,"first_seen":-1})",
                        R"({"start":0,"end":3600000,"series":1,"points":1,"first_seen":5})",
                        R"({"start":3600000,"end":7200000,"series":1,"points":1,"first_seen":3600000})"}));
  EXPECT_EQ(get("windows?metric=cpu&tag=host=a&tag=host=b"), windows_of({}));
  EXPECT_EQ(get("windows?metric=none"), windows_of({}));
  EXPECT_EQ(get("windows?metric=cpu", "nobody"), windows_of({}));
}

TEST_F(CatalogWindowsTest, WhatTouchesTheRangeIsCountedWhole) {
  EXPECT_EQ(get("windows?metric=cpu&start=7200000&end=7200000"), windows_of({kFirst}));
  EXPECT_EQ(get("windows?metric=cpu&start=0&end=259199999"), windows_of({kFirst}));
  EXPECT_EQ(get("windows?metric=cpu&start=-1&end=259200000"), windows_of({kBefore, kFirst, kLater}));
  EXPECT_EQ(get("windows?metric=cpu&start=345600000"), windows_of({}));
}

TEST_F(CatalogWindowsTest, Pages) {
  EXPECT_EQ(get("windows?metric=cpu&limit=1"), windows_of({kBefore}, "-86400000"));
  EXPECT_EQ(get("windows?metric=cpu&limit=1&after=-86400000"), windows_of({kFirst}, "0"));
  EXPECT_EQ(get("windows?metric=cpu&limit=1&after=0"), windows_of({kLater}));
  EXPECT_EQ(get("windows?metric=cpu&limit=2&start=-1&after=0"), windows_of({kLater}));
  EXPECT_EQ(get("windows?metric=cpu&limit=1&end=86400000&after=0"), windows_of({}));
  EXPECT_EQ(get("windows?metric=cpu&after=9007199254740992"), windows_of({}));
}

TEST_F(CatalogWindowsTest, OfEachSeries) {
  const std::string a =
      R"({"tags":{"host":"a"},"types":["long","double","string"],"first_seen":-1,"last_seen":3600000,"points":3,"windows":)";
  const std::string b =
      R"({"tags":{"host":"b"},"types":["long"],"first_seen":3,"last_seen":259200001,"points":2,"windows":)";
  const std::string of_a = R"([{"start":-86400000,"points":1,"first_seen":-1},{"start":0,"points":2,"first_seen":5}]})";
  const std::string of_b =
      R"([{"start":0,"points":1,"first_seen":3},{"start":259200000,"points":1,"first_seen":259200001}]})";
  EXPECT_EQ(get("series?metric=cpu&width=1d"), R"({"series":[)" + a + of_a + "," + b + of_b + "]}");
  EXPECT_EQ(get("series?metric=cpu&width=1d&limit=1"), R"({"series":[)" + a + of_a + R"(],"next":"0"})");
  EXPECT_EQ(get("series?metric=cpu&width=1d&limit=1&after=0"), R"({"series":[)" + b + of_b + "]}");
  // Seen before and after, but not then.
  EXPECT_EQ(get("series?metric=cpu&width=1d&start=86400000&end=86400000"), R"({"series":[)" + b + "[]}]}");
  EXPECT_EQ(get("series?metric=none&width=1d"), R"({"series":[]})");
  EXPECT_EQ(get("series?metric=cpu&width=1d", "nobody"), R"({"series":[]})");
  EXPECT_EQ(get("series?metric=cpu&tag=host=b").find("windows"), std::string::npos);
}

TEST_F(CatalogWindowsTest, SaysWhatWasRead) {
  EXPECT_NE(header_of(ask("windows?metric=cpu"), "Varve-Read").find("series=2"), std::string::npos);
  EXPECT_NE(header_of(ask("series?metric=cpu&width=1d&limit=1"), "Varve-Read").find("series=1"), std::string::npos);
  EXPECT_EQ(header_of(ask("series?metric=cpu"), "Varve-Read"), "");
}

TEST_F(CatalogWindowsTest, Refused) {
  for (const char* const target :
       {"windows", "windows?metric=", "windows?metric=cpu&tag=x", "windows?metric=cpu&limit=x",
        "windows?metric=cpu&after=x", "windows?metric=cpu&start=2&end=1", "windows?metric=cpu&start=x"}) {
    EXPECT_EQ(ask(target).status, 400) << target;
  }
  for (const char* const width : {"", "1", "d", "0d", "-1d", "1m", "5m", "1.5h", "1h30m", "1D", " 1d", "1d ", "+1d",
                                  "1y", "367d", "8785h", "53w", "99999999999999999999d", "1h%00"}) {
    for (const char* const list : {"windows", "series"}) {
      const Response response = ask(std::string(list) + "?metric=cpu&width=" + width);
      EXPECT_EQ(response.status, 400) << width;
      EXPECT_NE(response.body.find("width is a whole number of hours, days or weeks from 1h to 366d"),
                std::string::npos)
          << response.body;
    }
  }
  EXPECT_EQ(ask("windows?metric=cpu", "").status, 400);
  EXPECT_EQ(ask("windows?metric=cpu&width=8784h").status, 200);
  EXPECT_EQ(ask("windows?metric=cpu&width=52w").status, 200);
}

TEST_F(CatalogWindowsTest, EndsWithItsClientAndItsLimits) {
  *gone_ = true;
  EXPECT_EQ(ask("windows?metric=cpu").status, 503);
  EXPECT_EQ(ask("series?metric=cpu&width=1d").status, 503);
  *gone_ = false;
  query::Engine small(store_, store_, clock_, {.memory_bytes = 20});
  router_ = Router();
  add_catalog_routes(router_, whole_.of(small, pool_, metrics_));
  for (const char* const target : {"windows?metric=cpu", "series?metric=cpu&width=1d"}) {
    const Response response = ask(target);
    EXPECT_EQ(response.status, 422) << target;
    EXPECT_NE(response.body.find("query.memory"), std::string::npos) << response.body;
  }
}

}  // namespace
}  // namespace varve::api
