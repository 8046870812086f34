// SPDX-License-Identifier: Apache-2.0
// One line a case: what is asked, and what was understood in the words of show().
#include "protocol/opentsdb/query.h"

#include <gtest/gtest.h>

#include "protocol/testing/shown_filter.h"

namespace varve::protocol::opentsdb {
namespace {

constexpr std::int64_t kNow = 1'700'000'000'000;
using List = std::vector<std::pair<std::string, std::string>>;
using testing::show;

std::string show(const Downsample& d) {
  return std::to_string(d.count) + "/" + std::to_string(static_cast<int>(d.unit)) + (d.calendar ? "c" : "") + "-" +
         d.function +
         (d.fill == Downsample::Fill::none   ? ""
          : d.fill == Downsample::Fill::zero ? "-zero"
                                             : "-nan");
}

std::string show(const SubQuery& query) {
  std::string out = query.aggregator;
  if (query.downsample) out += " " + show(*query.downsample);
  if (query.rate) {
    out += " rate";
    if (query.rate->counter) out += " counter";
    if (query.rate->counter_max != INT64_MAX) out += " max=" + std::to_string(query.rate->counter_max);
    if (query.rate->reset_value != 0) out += " reset=" + std::to_string(query.rate->reset_value);
    if (query.rate->drop_resets) out += " drop";
    if (query.rate->delta_only) out += " delta";
  }
  if (query.explicit_tags) out += " explicit";
  out += " '" + query.metric + "'";
  for (const Filter& filter : query.filters) out += " " + show(filter);
  return out;
}

std::string show(const Query& query) {
  std::string out = std::to_string(query.range.first) + ".." + std::to_string(query.range.last);
  for (const SubQuery& sub : query.queries) out += "; " + show(sub);
  if (query.ms) out += " ms";
  if (query.arrays) out += " arrays";
  if (query.show_query) out += " show_query";
  if (query.show_summary) out += " show_summary";
  return out;
}

template <class T>
std::string shown_query(const Result<T>& result) {
  return result ? show(*result) : "! " + result.error().message;
}

struct QueryCase {
  std::string in;
  std::string out;  // "!…": an error that holds this
};

void expect(const std::string& got, const QueryCase& one) {
  if (one.out.starts_with('!')) {
    EXPECT_TRUE(got.starts_with("! ") && got.find(one.out.substr(1)) != std::string::npos) << one.in << " → " << got;
  } else {
    EXPECT_EQ(got, one.out) << one.in;
  }
}

TEST(OpentsdbQuery, MetricParameter) {
  const QueryCase cases[] = {
      {"sum:cpu", "sum 'cpu'"},
      {"none:a.b-c/d_1", "none 'a.b-c/d_1'"},
      {"avg:1m-avg:cpu", "avg 1/2-avg 'cpu'"},
      {"avg:30s-max-zero:cpu{}", "avg 30/1-max-zero 'cpu'"},
      {"avg:0all-sum:cpu", "avg 0/0-sum 'cpu'"},
      {"avg:1nc-sum-null:cpu", "avg 1/6c-sum-nan 'cpu'"},
      {"avg:1n-sum-none:cpu", "avg 1/6-sum 'cpu'"},
      {"sum:rate:cpu", "sum rate 'cpu'"},
      {"sum:rate{counter}:cpu", "sum rate counter 'cpu'"},
      {"sum:rate{counter,65535}:cpu", "sum rate counter max=65535 'cpu'"},
      {"sum:rate{counter,,1000}:cpu", "sum rate counter reset=1000 'cpu'"},
      {"sum:rate{dropcounter,5,6}:1m-avg:cpu", "sum 1/2-avg rate counter max=5 reset=6 drop 'cpu'"},
      {"sum:1m-avg-nan:rate{counter}:explicit_tags:cpu{host=*,dc=a|b}{os=regexp(l.*(x,y))}",
       "sum 1/2-avg-nan rate counter explicit 'cpu' host==wildcard(*) dc==literal_or(a|b) os=regexp(l.*(x,y))"},
      {"sum:cpu{host=web*}", "sum 'cpu' host==wildcard(web*)"},
      {"sum:cpu{}{host=a}", "sum 'cpu' host=literal_or(a)"},
      {"sum:cpu{host=iliteral_or(A|b||A)}", "sum 'cpu' host==iliteral_or(A|b)"},
      {"sum:cpu{host=not_key()}", "!cannot group by"},
      {"sum:cpu{}{host=not_key()}", "sum 'cpu' host=not_key()"},
      {"sum:cpu{host=regexp(a{1,2})}", "sum 'cpu' host==regexp(a{1,2})"},
      {"sum:cpu{host=odd(a)}", "sum 'cpu' host==literal_or(odd(a))"},
      {"sum:a:b:c{x=y}", "sum 'a:b:c' x==literal_or(y)"},
      {"sum:rate", "sum 'rate'"},
      {"sum:1m-avg", "sum '1m-avg'"},
      {"cpu", "!m=cpu"},
      {"", "!m="},
      {":cpu", "!m=:cpu"},
      {"sum:", "!names no metric"},
      {"sum:{host=a}", "!names no metric"},
      {"sum:cpu{host=a", "!Missing '}'"},
      {"sum:cpu{host}", "!invalid tag: host"},
      {"sum:cpu{host=}", "!invalid tag: host="},
      {"sum:cpu{=a}", "!invalid tag: =a"},
      {"sum:cpu{a=b}{c=d}x", "!Unexpected 'x'"},
      {"sum:cpu{a=b}{c=d}{e=f}", "!Unexpected '{e=f}'"},
      {"sum:cpu{host=|}", "!no values"},
      {"sum:rate{gauge}:cpu", "!Invalid rate options"},
      {"sum:rate{counter,x}:cpu", "!'x' is not a whole number"},
      {"sum:rate{counter,1,2,3}:cpu", "!received: 4 parts"},
      {"sum:1m-avg-blue:cpu", "!Unrecognized fill policy: blue"},
      {"sum:1q-avg:cpu", "!Invalid duration '1q'"},
      {"sum:0m-avg:cpu", "!greater than 0"},
  };
  for (const QueryCase& one : cases) expect(shown_query(parse_m(one.in)), one);
}

TEST(OpentsdbQuery, Downsampling) {
  const QueryCase cases[] = {
      {"1ms-avg", "1/0-avg"},
      {"2h-p99", "2/3-p99"},
      {"1d-sum", "1/4-sum"},
      {"1w-sum", "1/5-sum"},
      {"1y-sum", "1/7-sum"},
      {"1yc-sum", "1/7c-sum"},
      {"0all-sum-nan", "0/0-sum-nan"},
      {"1m", "!interval-function"},
      {"1m-avg-nan-x", "!interval-function"},
      {"m-avg", "!Invalid duration"},
      {"-5m-avg", "!Invalid duration"},
      {"9999999999s-avg", "!Invalid duration"},
  };
  for (const QueryCase& one : cases) expect(shown_query(parse_downsample(one.in)), one);
}

std::string shown_time(const std::string& text) {
  const auto time = parse_time(text, kNow);
  return time ? std::to_string(*time) : "! " + time.error().message;
}

TEST(OpentsdbQuery, AnyNumberIsATimeOrNone) {
  std::string digits;
  for (int n = 1; n <= 40; ++n) {
    digits += n % 2 == 0 ? '0' : '9';
    for (const std::string& text : {digits, digits + "y-ago", digits + "ms-ago", digits + "n-ago", digits + ".999"}) {
      const auto time = parse_time(text, kNow);
      if (time) {
        EXPECT_TRUE(model::is_timestamp(*time)) << text;
      }
    }
  }
  for (const model::Timestamp now : {model::kTimestampMin, model::kTimestampMax}) {
    EXPECT_TRUE(model::is_timestamp(parse_time("1000000y-ago", now).value()));
  }
}

TEST(OpentsdbQuery, Times) {
  const QueryCase cases[] = {
      {"now", "1700000000000"},
      {"1s-ago", "1699999999000"},
      {"500ms-ago", "1699999999500"},
      {"2h-ago", "1699992800000"},
      {"1w-ago", "1699395200000"},
      {"1n-ago", "1697408000000"},
      {"1y-ago", "1668464000000"},
      {"1ss-ago", "!Invalid relative time format"},
      {"ago", "!Invalid time"},
      {"-ago", "!Invalid relative time format"},
      {"-1h-ago", "!Invalid relative time format"},
      {"0", "0"},
      {"1605094715", "1605094715000"},
      {"1605094715000", "1605094715000"},
      {"1355961603.418", "1355961603418"},
      {"1355961603.4", "1355961603400"},
      {"1355961603.4181", "!three digits"},
      {"13559616.4", "!three digits"},
      {"-1", "!Negative"},
      {"99999999999999999999", "!Invalid time"},
      {"999999999999999999", "9007199254740992"},
      {"2013/01/01", "1356998400000"},
      {"2013/01/01-00:00:00", "1356998400000"},
      {"2013/01/01-12:30", "1357043400000"},
      {"2013/01/01 12:30:15", "1357043415000"},
      {"2013/02/29", "!Dates are"},
      {"2013/1/1", "!Dates are"},
      {"2013/01/01-25:00", "!Dates are"},
      {"2013/01/01-00:00:00x", "!Dates are"},
      {"1969/12/31", "-86400000"},
      {"2020-11-10T14:24:35Z", "1605018275000"},
      {"2020-11-10T14:24:35.25Z", "1605018275250"},
      {"2020-11-10T14:24:35.123456789Z", "1605018275123"},
      {"2020-11-10T14:24:35+05:30", "1604998475000"},
      {"2020-11-10T14:24:35-01:00", "1605021875000"},
      {"2020-11-10T14:24:35", "!Instants are"},
      {"13:03:15.454+0530Z", "!Instants are"},
      {"yesterday", "!Invalid time: 'yesterday'"},
      {"", "!Invalid time"},
  };
  for (const QueryCase& one : cases) expect(shown_time(one.in), one);
}

TEST(OpentsdbQuery, Json) {
  const std::string one = R"("queries":[{"metric":"m","aggregator":"sum"}])";
  const QueryCase cases[] = {
      {R"({"start":1,"end":2,)" + one + "}", "1000..2001; sum 'm'"},
      {R"({"start":"1h-ago",)" + one + "}", "1699996400000..1700000000001; sum 'm'"},
      {R"({"start":1355961600000,"end":1355961603.418,"msResolution":true,)" + one + "}",
       "1355961600000..1355961603419; sum 'm' ms"},
      {R"({"start":1,"end":2,"showQuery":true,"showSummary":"true","showTSUIDs":true,"noAnnotations":true,)"
       R"("globalAnnotations":true,"padding":false,"delete":false,"timezone":"UTC","stranger":{"a":[1]},)" +
           one + "}",
       "1000..2001; sum 'm' show_query show_summary"},
      {R"({"start":1,"end":2,"queries":[{"metric":"m","aggregator":"avg","downsample":"1m-avg-nan","rate":true,)"
       R"("rateOptions":{"counter":true,"counterMax":"65535","resetValue":1e1,"dropResets":true,"deltaOnly":false},)"
       R"("tags":{"host":"*","dc":"a|b"},"filters":[{"type":"regexp","tagk":"os","filter":"l","groupBy":true},)"
       R"({"type":"not_key","tagk":"x","filter":""}],"explicitTags":true}]})",
       "1000..2001; avg 1/2-avg-nan rate counter max=65535 reset=10 drop explicit 'm' host==wildcard(*) "
       "dc==literal_or(a|b) os==regexp(l) x=not_key()"},
      {R"({"start":1,"end":2,"queries":[{"metric":"m"},{"metric":"n","aggregator":"max","downsample":null}]})",
       "1000..2001;  'm'; max 'n'"},
      {R"({"start":1,"end":2,"useCalendar":true,"queries":[{"metric":"m","aggregator":"sum","downsample":"1n-sum"}]})",
       "1000..2001; sum 1/6c-sum 'm'"},
      {R"({"start":1,"queries":[{"metric":"m","aggregator":"sum","rate":false,"rateOptions":{"counter":true}}]})",
       "1000..1700000000001; sum 'm'"},
      {"{" + one + "}", "!Missing start time"},
      {R"({"start":2,"end":1,)" + one + "}", "!End time [1000] must be greater than the start time [2000]"},
      {R"({"start":1})", "!Missing queries"},
      {R"({"start":1,"queries":[]})", "!Missing queries"},
      {R"({"start":1,"queries":{}})", "!Missing queries"},
      {R"({"start":1,"queries":[1]})", "!must be an object"},
      {R"({"start":1,"queries":[{"aggregator":"sum"}]})", "!Missing the metric"},
      {R"({"start":1,"queries":[{"tsuids":["0001"],"aggregator":"sum"}]})", "!tsuids are not supported"},
      {R"({"start":1,"delete":true,)" + one + "}", "!does not delete"},
      {R"({"start":1,"timezone":"Europe/Riga",)" + one + "}", "!time zone must be UTC"},
      {R"({"start":1,"msResolution":"maybe",)" + one + "}", "!msResolution must be true or false"},
      {R"({"start":[],)" + one + "}", "!start must be a string"},
      {R"({"start":1,"queries":[{"metric":"m","filters":[{"type":"near","tagk":"a","filter":"b"}]}]})",
       "!Could not find filter type: near"},
      {R"({"start":1,"queries":[{"metric":"m","filters":[{"type":"regexp","filter":"b"}]}]})", "!needs a tagk"},
      {R"({"start":1,"queries":[{"metric":"m","filters":[{"type":"regexp","tagk":"a"}]}]})", "!is empty"},
      {R"({"start":1,"queries":[{"metric":"m","filters":{}}]})", "!filters must be an array"},
      {R"({"start":1,"queries":[{"metric":"m","tags":[]}]})", "!tags must be an object"},
      {R"({"start":1,"queries":[{"metric":"m","rate":true,"rateOptions":{"counterMax":"x"}}]})", "!counterMax"},
      {"[]", "!must be a JSON object"},
      {"", "!"},
      {R"({"start":1)", "!"},
  };
  for (const QueryCase& c : cases) expect(shown_query(parse_query(c.in, List{}, kNow)), c);
}

TEST(OpentsdbQuery, UrlParameters) {
  const auto parse = [](const List& list) { return shown_query(parse_query(list, kNow)); };
  EXPECT_EQ(parse({{"start", "1"}, {"end", "2"}, {"m", "sum:a"}, {"m", "max:b"}}), "1000..2001; sum 'a'; max 'b'");
  EXPECT_EQ(parse({{"start", "1"}, {"end", "2"}, {"m", "sum:a"}, {"ms", ""}, {"arrays", "true"}, {"show_query", ""}}),
            "1000..2001; sum 'a' ms arrays show_query");
  EXPECT_EQ(parse({{"start", "1"}, {"end", "2"}, {"m", "sum:a"}, {"ms", "false"}, {"no_annotations", ""}}),
            "1000..2001; sum 'a'");
  expect(parse({{"start", "1"}, {"m", "sum:a"}, {"delete", ""}}), {"delete", "!does not delete"});
  expect(parse({{"start", "1"}, {"tsuid", "sum:00"}}), {"tsuid", "!tsuids are not supported"});
  expect(parse({{"start", "1"}}), {"no m", "!Missing a parameter m"});
  expect(parse({{"m", "sum:a"}}), {"no start", "!Missing start time"});
  EXPECT_EQ(show(*parse_query(R"({"start":1,"end":1,"queries":[{"metric":"m"}]})", List{{"arrays", "true"}}, kNow)),
            "1000..1001;  'm' arrays");
}

}  // namespace
}  // namespace varve::protocol::opentsdb
