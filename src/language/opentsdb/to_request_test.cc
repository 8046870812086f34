// SPDX-License-Identifier: Apache-2.0
// One line a case: a query as URL parameters or as JSON, and what is asked of the engine, in the words of
// request_text.h.
#include "language/opentsdb/to_request.h"

#include <gtest/gtest.h>

#include "language/testing/request_text.h"
#include "storage/testing/memory_store.h"

namespace varve::language::opentsdb {
namespace {

namespace ast = protocol::opentsdb;

constexpr model::Timestamp kNow = 1'700'000'000'000;

struct Asked {
  std::string in;  // JSON if it begins with a brace, else k=v&k=v
  std::string out;
};

std::vector<std::pair<std::string, std::string>> parameters_of(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> out;
  while (!text.empty()) {
    const std::string_view one = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(one.size() + 1, text.size()));
    const std::size_t equals = std::min(one.find('='), one.size());
    out.emplace_back(one.substr(0, equals), one.substr(std::min(equals + 1, one.size())));
  }
  return out;
}

class OpentsdbToRequest : public ::testing::Test {
 protected:
  OpentsdbToRequest() {
    store_.put("t", "cpu", {{"host", "a"}, {"dc", "x"}, {"os", "l"}}, 1, model::Value::of_long(1));
  }
  std::string asked(const std::string& in) const {
    const auto parameters = parameters_of(in);
    const auto parsed = in.starts_with('{') ? ast::parse_query(in, {}, kNow) : ast::parse_query(parameters, kNow);
    if (!parsed) return "error: " + parsed.error().message;
    return testing::text_of(to_request(*parsed, "t", store_));
  }
  // Of what stands in m=, without what all cases have in common.
  std::string asked_m(const std::string& m) const {
    const std::string out = asked("start=1&end=2&m=" + m);
    const std::string_view common = "t/opentsdb 1000..2001 ";
    return out.starts_with(common) ? out.substr(common.size()) : out;
  }

  storage::testing::MemoryStore store_;
};

TEST_F(OpentsdbToRequest, BothForms) {
  const Asked cases[] = {
      {"start=1&end=2&m=sum:cpu", "t/opentsdb 1000..2001 cpu | cut 1000 | join sum"},
      {R"({"start":1,"end":2,"queries":[{"metric":"cpu","aggregator":"sum"}]})",
       "t/opentsdb 1000..2001 cpu | cut 1000 | join sum"},
      {"start=1h-ago&m=none:cpu&ms", "t/opentsdb 1699996400000..1700000000001 cpu | join none"},
      {R"({"start":1,"end":2,"msResolution":true,"queries":[{"metric":"cpu"}]})",
       "t/opentsdb 1000..2001 cpu | join none"},
      {"start=1&end=2&m=sum:cpu{host=*}&m=max:1m-avg:mem{}{dc=x}&m=sum:cpu",
       "t/opentsdb 1000..2001 cpu host!= | cut 1000 | join sum by host; "
       "mem dc=x | avg 60000ms from 1970 at start | cut 1000 | join max; cpu | cut 1000 | join sum"},
      {R"({"start":1,"end":2,"queries":[{"metric":"cpu","aggregator":"sum","filters":[)"
       R"({"type":"wildcard","tagk":"host","filter":"*","groupBy":true},{"type":"regexp","tagk":"dc","filter":"x"}]},)"
       R"({"metric":"mem","aggregator":"max","tags":{"dc":"x"}}]})",
       "t/opentsdb 1000..2001 cpu host!= dc=~.*(?:x).* dc!= | cut 1000 | join sum by host; "
       "mem dc=x | cut 1000 | join max by dc"},
      {"start=1&end=2&m=sum:5m-counter_rate:cpu{host=*}&m=max:1dc-increase-nan:mem",
       "t/opentsdb 1000..2001 cpu host!= | counter_rate 300000ms from 1970 at start | cut 1000 | join sum by host; "
       "mem | increase 1d at start fill nan | cut 1000 | join max"},
      {R"({"start":1,"end":2,"queries":[{"metric":"cpu","aggregator":"sum","downsample":"0all-increase-zero"}]})",
       "t/opentsdb 1000..2001 cpu | increase 36028797018963968ms from start at start fill zero | cut 1000 | join sum"},
      {"start=1&end=2&m=increase:cpu", "error: No such aggregator: increase"},
      {"start=1&end=2&m=odd:cpu", "error: No such aggregator: odd"},
      {"start=1&end=2&m=sum:1m-none:cpu", "error: none is not a function to downsample by"},
      {"start=1&end=2&m=sum:1m-odd:cpu", "error: No such aggregator: odd"},
      {"start=1&end=2&m=sum:cpu{host=regexp(x)|(b)}", "error: regular expression 'x)|(b': unexpected ): x)|(b"},
      {R"({"start":1,"end":2,"queries":[{"metric":"cpu","aggregator":"sum"},{"metric":"m","aggregator":"odd"}]})",
       "error: No such aggregator: odd"},
  };
  for (const auto& [in, out] : cases) EXPECT_EQ(asked(in), out) << in;
}

TEST_F(OpentsdbToRequest, Series) {
  const Asked cases[] = {
      {"sum:cpu{}{host=not_key()}", "cpu host= | cut 1000 | join sum"},
      {"sum:cpu{}{host=*}", "cpu host!= | cut 1000 | join sum"},
      {"sum:cpu{}{host=***}", "cpu host!= | cut 1000 | join sum"},
      {"sum:cpu{}{host=web*}", "cpu host^=web | cut 1000 | join sum"},
      {"sum:cpu{}{host=*web}", "cpu host=~.*web | cut 1000 | join sum"},
      {"sum:cpu{}{host=w.b*1*}", R"(cpu host=~w\.b.*1.* | cut 1000 | join sum)"},
      {"sum:cpu{}{host=iwildcard(w*)}", "cpu host=~(?i)w.* | cut 1000 | join sum"},
      {"sum:cpu{}{host=iwildcard(*)}", "cpu host!= | cut 1000 | join sum"},
      {"sum:cpu{}{host=a|b}", "cpu host=a|b | cut 1000 | join sum"},
      {"sum:cpu{}{host=iliteral_or(A.|b)}", R"(cpu host=~(?i:A\.|b) | cut 1000 | join sum)"},
      {"sum:cpu{}{host=not_literal_or(a|b)}", "cpu host!=a|b| | cut 1000 | join sum"},
      {"sum:cpu{}{host=not_iliteral_or(a|b)}", "cpu host!~(?i:a|b) host!= | cut 1000 | join sum"},
      {"sum:cpu{}{host=regexp(^w|b$)}", "cpu host=~.*(?:^w|b$).* host!= | cut 1000 | join sum"},
      {"sum:cpu{}{host=a,host=b*}", "cpu host=a host^=b | cut 1000 | join sum"},
      {"sum:cpu{__name__=mem}", "cpu __name__=mem | cut 1000 | join sum by __name__"},
      {"sum:cpu{host=a,dc=*,host=b}", "cpu host=a dc!= host=b | cut 1000 | join sum by host,dc"},
      {"sum:explicit_tags:cpu{host=*}", "cpu host!= dc= os= | cut 1000 | join sum by host"},
      {"sum:explicit_tags:cpu", "cpu dc= host= os= | cut 1000 | join sum"},
      {"sum:explicit_tags:mem{host=*}", "mem host!= | cut 1000 | join sum by host"},
  };
  for (const auto& [in, out] : cases) EXPECT_EQ(asked_m(in), out) << in;
}

TEST_F(OpentsdbToRequest, Joins) {
  const Asked cases[] = {
      {"none:cpu", "cpu | cut 1000 | join none"},
      {"zimsum:cpu", "cpu | cut 1000 | join zimsum"},
      {"ep99r7:cpu", "cpu | cut 1000 | join ep99r7"},
      {"sum:rate:cpu", "cpu | cut 1000 | rate | join sum"},
      {"sum:rate{dropcounter,65535,10}:cpu", "cpu | cut 1000 | rate counter max 65535 reset 10 drop | join sum"},
      {"sum:0all-sum:cpu", "cpu | sum 36028797018963968ms from start at start | cut 1000 | join sum"},
      {"sum:1n-zimsum:cpu", "cpu | sum 2592000000ms from 1970 at start | cut 1000 | join sum"},
      {"sum:1nc-mimmax-zero:cpu", "cpu | max 1mo at start fill zero | cut 1000 | join sum"},
      {"sum:1d-first-nan:cpu", "cpu | first 86400000ms from 1970 at start fill nan | cut 1000 | join sum"},
      {"sum:1s-median:cpu", "cpu | gather median 1000ms from 1970 at start | cut 1000 | join sum"},
      {"sum:1s-dev-null:cpu", "cpu | gather dev 1000ms from 1970 at start fill nan | cut 1000 | join sum"},
      {"p99:rate:1w-p50:cpu", "cpu | gather p50 604800000ms from 1970 at start | cut 1000 | rate | join p99"},
  };
  for (const auto& [in, out] : cases) EXPECT_EQ(asked_m(in), out) << in;
}

TEST_F(OpentsdbToRequest, NewestSamples) {
  const Asked cases[] = {
      {"timeseries=cpu", "t/opentsdb always cpu each | last 36028797018963968ms from start"},
      {"timeseries=cpu{host=a*,dc=regexp(x)}",
       "t/opentsdb always cpu host^=a dc=~.*(?:x).* dc!= each | last 36028797018963968ms from start"},
      {"timeseries=cpu{host=regexp([)}", "error: regular expression '[': missing ]: ["},
  };
  for (const auto& [in, out] : cases) {
    const auto parsed = ast::parse_last(parameters_of(in));
    ASSERT_TRUE(parsed) << in;
    query::Expressions expressions;
    EXPECT_EQ(testing::text_of(to_request(parsed->series[0], "t", expressions)), out) << in;
  }
}

}  // namespace
}  // namespace varve::language::opentsdb
