// SPDX-License-Identifier: Apache-2.0
// One line a case: parameters, the windows' width, and what is asked of the engine, in the words of request_text.h.
#include "language/ceres/to_request.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "language/testing/request_text.h"

namespace varve::language::ceres {
namespace {

namespace ast = protocol::ceres;

constexpr model::Timestamp kNow = 1'700'000'000'000;

struct Wanted {
  std::vector<ast::Parameter> in;
  std::int64_t width_ms;
  std::string out;
};

std::string request_of(std::vector<ast::Parameter> in, std::int64_t width_ms) {
  if (std::ranges::none_of(in, [](const auto& one) { return one.first == "start"; })) in.emplace_back("start", "10");
  if (std::ranges::none_of(in, [](const auto& one) { return one.first == "end"; })) in.emplace_back("end", "100");
  const auto parsed = ast::parse_query(in, "t", kNow);
  if (!parsed) return "error: " + parsed.error().message;
  const std::vector<std::string> metrics =
      parsed->metric_group.empty() ? std::vector<std::string>{parsed->metric_name} : std::vector<std::string>{"a", "b"};
  return testing::text_of(to_request(*parsed, "t", metrics, width_ms));
}

TEST(CeresToRequest, Table) {
  const Wanted cases[] = {
      {{{"metricName", "cpu"}}, 0, "t/ 10000..100000 cpu each"},
      {{{"metricName", "cpu"}, {"aggregator", "raw"}, {"tag", "os=a,b,host=h"}},
       0,
       "t/ 10000..100000 cpu os=a,b host=h each"},
      {{{"metricName", "cpu"}, {"tag", "__name__=x"}}, 0, "t/ 10000..100000 cpu __name__=x each"},
      {{{"metricGroup", "CPU"}, {"tag", "host=h"}},
       0,
       "t/ 10000..100000 a host=h metricGroup=CPU each; b host=h metricGroup=CPU each"},
      {{{"metricName", "cpu"}, {"aggregator", "avg"}},
       60'000,
       "t/ 60000..120000 cpu each | avg 60000ms from start at start"},
      {{{"metricName", "cpu"}, {"aggregator", "count"}, {"start", "60"}, {"end", "120"}},
       60'000,
       "t/ 60000..120000 cpu each | count 60000ms from start at start"},
      {{{"metricName", "cpu"}, {"aggregator", "counter_rate"}},
       30'000,
       "t/ 30000..120000 cpu each | counter_rate 30000ms from start at start"},
      {{{"metricName", "cpu"}, {"aggregator", "increase"}},
       60'000,
       "t/ 60000..120000 cpu each | increase 60000ms from start at start"},
      // Of a range without the beginning of a window there is none.
      {{{"metricName", "cpu"}, {"aggregator", "max"}, {"start", "61"}, {"end", "119"}},
       60'000,
       "t/ 120000..120000 cpu each | max 60000ms from start at start"},
      {{{"metricName", "cpu"}, {"aggregator", "min"}, {"start", "1969-12-31T23:59:30Z"}},
       60'000,
       "t/ 0..120000 cpu each | min 60000ms from start at start"},
      {{{"metricGroup", "CPU"}, {"aggregator", "sum"}},
       60'000,
       "t/ 60000..120000 a metricGroup=CPU each | sum 60000ms from start at start; "
       "b metricGroup=CPU each | sum 60000ms from start at start"},
  };
  for (const auto& [in, width_ms, out] : cases) EXPECT_EQ(request_of(in, width_ms), out);
}

}  // namespace
}  // namespace varve::language::ceres
