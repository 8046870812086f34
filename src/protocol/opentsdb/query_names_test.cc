// SPDX-License-Identifier: Apache-2.0
// One line a case: what is asked, and what was understood in the words of show(); errors begin with "!".
#include "protocol/opentsdb/query_names.h"

#include <gtest/gtest.h>

#include "protocol/testing/shown_filter.h"

namespace varve::protocol::opentsdb {
namespace {

using List = std::vector<std::pair<std::string, std::string>>;
using testing::show;

std::string show(const Lookup& lookup) {
  std::string out = "'" + lookup.metric + "'";
  for (const auto& [key, value] : lookup.pairs) out += " " + key + "=" + value;
  return out + " " + std::to_string(lookup.limit) + "+" + std::to_string(lookup.start_index);
}
std::string show(const Suggest& suggest) {
  return std::to_string(static_cast<int>(suggest.type)) + " '" + suggest.prefix + "' " + std::to_string(suggest.max);
}
std::string show(const LastQuery& last) {
  std::string out = std::to_string(last.back_scan_hours) + (last.resolve ? " resolve" : "");
  for (const auto& series : last.series) {
    out += " '" + series.metric + "'";
    for (const Filter& filter : series.filters) out += " " + show(filter);
  }
  return out;
}

template <class T>
std::string shown(const Result<T>& result) {
  return result ? show(*result) : "! " + result.error().message;
}

TEST(OpentsdbNames, Lookup) {
  const auto lookup = [](const List& list) { return shown(parse_lookup(list)); };
  EXPECT_EQ(lookup({{"m", "cpu_active{os=linux,host=*,*=windows}"}}), "'cpu_active' os=linux host=* *=windows 25+0");
  EXPECT_EQ(lookup({{"m", "cpu_active"}, {"limit", "2"}}), "'cpu_active' 2+0");
  EXPECT_EQ(lookup({{"m", "{*=a}"}, {"use_meta", "true"}}), "'' *=a 25+0");
  EXPECT_EQ(lookup({{"m", "*{*=*}"}}), "'' 25+0");
  EXPECT_EQ(lookup({{"m", "cpu{}"}}), "'cpu' 25+0");
  for (const char* bad : {"", "cpu{a=b", "cpu{a}", "cpu{=b}", "cpu{a=}"})
    EXPECT_EQ(lookup({{"m", bad}})[0], '!') << bad;
  EXPECT_EQ(lookup({{"m", "cpu"}, {"limit", "-1"}})[0], '!');
  EXPECT_EQ(shown(parse_lookup(R"({"metric":"cpu","tags":[{"key":"a","value":"*"}],"limit":3,"startIndex":1})")),
            "'cpu' a=* 3+1");
  EXPECT_EQ(shown(parse_lookup(R"({"metric":"*"})")), "'' 25+0");
  EXPECT_EQ(shown(parse_lookup(R"({"metric":"cpu","tags":{"a":"b"}})"))[0], '!');
  EXPECT_EQ(shown(parse_lookup(R"({"metric":"cpu","tags":[{"key":"a"}]})"))[0], '!');
}

TEST(OpentsdbNames, Suggest) {
  const auto suggest = [](const List& list) { return shown(parse_suggest(list)); };
  EXPECT_EQ(suggest({{"type", "metrics"}}), "0 '' 25");
  EXPECT_EQ(suggest({{"type", "TAGK"}, {"q", "h"}, {"max", "1000"}}), "1 'h' 1000");
  EXPECT_EQ(suggest({{"type", "tagv"}, {"max", "0"}}), "2 '' 0");
  EXPECT_EQ(suggest({{"type", "invalid"}})[0], '!');
  EXPECT_EQ(suggest({})[0], '!');
  EXPECT_EQ(suggest({{"type", "tagk"}, {"max", "many"}})[0], '!');
  EXPECT_EQ(shown(parse_suggest(R"({"type":"metrics","q":"cp","max":2})")), "0 'cp' 2");
  EXPECT_EQ(shown(parse_suggest("[]"))[0], '!');
}

TEST(OpentsdbNames, Last) {
  const auto last = [](const List& list) { return shown(parse_last(list)); };
  EXPECT_EQ(last({{"timeseries", "cpu{host=a}"}, {"timeseries", "mem"}, {"back_scan", "24"}, {"resolve", "true"}}),
            "24 resolve 'cpu' host==literal_or(a) 'mem'");
  EXPECT_EQ(last({{"timeseries", "{host=a}"}})[0], '!');
  EXPECT_EQ(last({{"tsuids", "0001"}})[0], '!');
  EXPECT_EQ(last({})[0], '!');
  EXPECT_EQ(shown(parse_last(R"({"queries":[{"metric":"cpu","tags":{"host":"*"}}],"resolveNames":true,"backScan":1})")),
            "1 resolve 'cpu' host==wildcard(*)");
  EXPECT_EQ(shown(parse_last(R"({"queries":[{"tsuids":["0001"]}]})"))[0], '!');
  EXPECT_EQ(shown(parse_last(R"({"queries":[]})"))[0], '!');
}

}  // namespace
}  // namespace varve::protocol::opentsdb
