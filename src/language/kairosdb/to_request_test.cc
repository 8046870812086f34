// SPDX-License-Identifier: Apache-2.0
// One line a case: a metric of a query, and what is asked of the engine, in the words of request_text.h.
#include "language/kairosdb/to_request.h"

#include <gtest/gtest.h>

#include "language/testing/request_text.h"
#include "query/running.h"

namespace varve::language::kairosdb {
namespace {

constexpr model::Timestamp kNow = 1'700'000'000'000;

struct Compiled {
  std::string in;
  std::string out;
};

std::string compiled(std::string_view json) { return testing::text_of(to_request(json, "t", kNow)); }

// Of the first metric, without what all cases have in common.
std::string compiled_metric(const std::string& fields) {
  const std::string out = compiled(R"({"start_absolute":1,"end_absolute":9,"metrics":[{"name":"m")" + fields + "}]}");
  const std::string_view common = "t/kairosdb 1..10 ";
  return out.starts_with(common) ? out.substr(common.size()) : out;
}

TEST(KairosdbToRequest, Whole) {
  const Compiled cases[] = {
      {R"({"start_absolute":1,"metrics":[{"name":"m"}]})", "t/kairosdb 1..9007199254740993 m"},
      {R"({"start_relative":{"value":1,"unit":"hours"},"metrics":[{"name":"m"}]})",
       "t/kairosdb 1699996400000..9007199254740993 m"},
      {R"({"start_absolute":1,"end_absolute":9,"metrics":[{"name":"a b","tags":{"x":"1"}},{"name":"a b"},)"
       R"({"name":"c","group_by":[{"name":"tag","tags":["x"]}]}]})",
       "t/kairosdb 1..10 a b x=1; a b; c by x"},
      {R"({"start_absolute":1,"end_absolute":9,"time_zone":"America/New_York","metrics":[)"
       R"({"name":"a","aggregators":[{"name":"sum","sampling":{"value":1,"unit":"days"}}]},)"
       R"({"name":"b","aggregators":[{"name":"sum","time_zone":"Asia/Kolkata"},{"name":"rate"}]}]})",
       "t/kairosdb 1..10 a | sum 1d zone -5/-4; b | sum 1ms zone 5.5/5.5 | rate 1ms zone -5/-4"},
      {R"({"start_absolute":1,"metrics":[]})", "t/kairosdb 1..9007199254740993"},
      {"{", "error: java.io.EOFException: End of input at line 1 column 2"},
  };
  for (const auto& [in, out] : cases) EXPECT_EQ(compiled(in), out) << in;
}

TEST(KairosdbToRequest, Series) {
  const Compiled cases[] = {
      {R"(,"tags":{"host":["regex:x)|(b"]})", "error: regular expression 'x)|(b': unexpected ): x)|(b"},
      {R"(,"tags":{"host":["a","regex:("]})", "error: regular expression '(': missing ): ("},
      {R"(,"tags":{"host":["regex:"]})", "m host=~(?:) host!="},
      {R"(,"tags":{"host":["a.b|c","regex:x|y"]})", R"(m host=~(?:a\.b\|c)|(?:x|y) host!=)"},
      {R"(,"tags":{"host":["regexp:a","Regex:b"]})", "m host=regexp:a|Regex:b"},
      {R"(,"tags":{"host":["b","a","b"],"dc":"x","none":[]})", "m host=b|a|b dc=x"},
      {R"(,"tags":{"__name__":"other"})", "m __name__=other"},
      {R"(,"tags":{})", "m"},
      {R"(,"group_by":[{"name":"tag","tags":["host","dc","host"]},{"name":"tag","tags":["x"]}])", "m by host,dc"},
      {R"(,"group_by":[{"name":"value","range_size":5},{"name":"tag","tags":["a"]},)"
       R"({"name":"time","range_size":{"value":2,"unit":"days"},"group_count":7},{"name":"bin","bins":["10",20.5]}])",
       "m by a by value 5 by time 2d of 7 by bins 10,20.5"},
      {R"(,"limit":0,"order":"asc")", "m"},
      {R"(,"limit":"7","order":"desc","aggregators":[{"name":"diff"}])", "m | diff | limit 7 | desc"},
      {R"(,"exclude_tags":true)", "m"},
  };
  for (const auto& [in, out] : cases) EXPECT_EQ(compiled_metric(in), out) << in;
}

// Of one step's fields.
TEST(KairosdbToRequest, Steps) {
  const Compiled cases[] = {
      {R"("name":"avg")", "avg 1ms"},
      {R"("name":"last","align_start_time":true,"align_end_time":true)", "last 1ms at start"},
      {R"("name":"first","sampling":{"value":3,"unit":"months"},"align_sampling":false,"align_end_time":true)",
       "first 3mo from start at end"},
      {R"("name":"min","sampling":{"value":0,"unit":"weeks"})", "min 0w"},
      {R"("name":"dev")", "dev 1ms"},
      {R"("name":"dev","return_type":"pos_sd","dev_count":2)", "dev 1ms above 2"},
      {R"("name":"hdev","return_type":"neg_sd")", "hdev 1ms below 1"},
      {R"("name":"hcount","sampling":{"value":1,"unit":"years"})", "hcount 1y"},
      {R"("name":"percentile","percentile":0.75)", "percentile 1ms 0.75"},
      {R"("name":"hpercentile","percentile":0.5)", "hpercentile 1ms 0.5"},
      {R"("name":"apdex","target":0.25,"sampling":{"value":5,"unit":"minutes"})", "apdex 5m 0.25"},
      {R"("name":"least_squares","sampling":{"value":5,"unit":"minutes"})", "least_squares 5m"},
      {R"("name":"gaps","trim":true)", "gaps 1ms trim"},
      {R"("name":"gaps")", "gaps 1ms"},
      {R"("name":"merge","precision":0)", "merge 1ms 0"},
      {R"("name":"merge")", "merge 1ms"},
      {R"("name":"movingWindow","sampling":{"value":1,"unit":"hours"})", "movingWindow 1h from start"},
      {R"("name":"increase","sampling":{"value":30,"unit":"seconds"},"align_sampling":false)",
       "increase 30s from start at start"},
      {R"("name":"counter_rate","align_end_time":true,"max_gap":{"value":2,"unit":"minutes"},"bits":32,"reset":"zero",)"
       R"("max_rate":5)",
       "counter_rate 1ms at end gap 120000 32 bits from zero at most 5"},
      {R"("name":"counter_rate","bits":64,"reset":"gap")", "counter_rate 1ms at start 64 bits not from zero"},
      {R"("name":"percent_remaining")", "percent_remaining"},
      {R"("name":"rate","unit":"seconds")", "rate 1s"},
      {R"("name":"sampler","unit":"hours")", "sampler 1h"},
      {R"("name":"scale","factor":"1e-3")", "scale 0.001"},
      {R"("name":"div","divisor":-2)", "div -2"},
      {R"("name":"sma","size":3)", "sma 3"},
      {R"("name":"trim","trim":"both")", "trim first last"},
      {R"("name":"trim")", "trim"},
      {R"("name":"filter","filter_op":"lte","threshold":-1.5)", "filter <= -1.5"},
      {R"("name":"filter","filter_op":"ne","threshold":"a")", "filter != a"},
      {R"("name":"hfilter","filter_op":"gt","threshold":2,"filter_indeterminate_inclusion":"discard")",
       "hfilter > 2 discard"},
      {R"("name":"hfilter")", "hfilter == 0"},
      {R"("name":"score","order":"descending","thresholds":[{"value":1,"boundary":"inferior"},{"value":2}])",
       "score 1 inferior 2 desc"},
      {R"("name":"save_as","metric_name":"n","tags":{"a":"b"},"ttl":60,"add_saved_from":false)",
       "save_as n a=b ttl 60"},
      {R"("name":"save_as","metric_name":"n")", "save_as n saved_from"},
  };
  for (const auto& [in, out] : cases) {
    EXPECT_EQ(compiled_metric(R"(,"aggregators":[{)" + in + "}]"), "m | " + out) << in;
  }
  EXPECT_EQ(compiled_metric(R"(,"aggregators":[{"name":"sum"},{"name":"sum"},{"name":"rate"}])"),
            "m | sum 1ms | sum 1ms | rate 1ms");
}

TEST(KairosdbToRequest, KeepsTheAskersWords) {
  const std::string json = R"({"start_absolute":1,"metrics":[{"name":"m"}],"x":")" + std::string(20'000, 'x') + "\"}";
  EXPECT_EQ(to_request(json, "t", kNow)->text, json.substr(0, query::kQueryTextMax));
}

}  // namespace
}  // namespace varve::language::kairosdb
