// SPDX-License-Identifier: Apache-2.0
#include "language/promql/duration.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "language/promql/parser.h"
#include "language/testing/promql_text.h"

namespace varve::language::promql {
namespace {

TEST(PromqlDurations, Texts) {
  EXPECT_EQ(duration_ms("1y2w3d4h5m6s7ms"), 33'019'506'007);
  EXPECT_EQ(duration_ms("1h30m"), 5'400'000);
  EXPECT_EQ(duration_ms("0s"), 0);
  EXPECT_EQ(duration_ms("290y"), 9'145'440'000'000);
  for (const auto* bad : {"", "5", "s", "1.5s", "-1s", "+1s", "30m1h", "1m1m", "1 m", "1x", "1mm", "293y", "1s1",
                          "99999999999999999999s", "0"}) {
    EXPECT_FALSE(duration_ms(bad)) << bad;
  }
  EXPECT_EQ(duration_text(0), "0s");
  EXPECT_EQ(duration_text(5'400'000), "1h30m");
  EXPECT_EQ(duration_text(-300'000), "-5m");
  EXPECT_EQ(duration_text(61'001), "1m1s1ms");
  EXPECT_EQ(duration_text(14 * 86'400'000LL), "2w");
  EXPECT_EQ(duration_text(15 * 86'400'000LL), "15d");
  EXPECT_EQ(duration_text(365 * 86'400'000LL), "1y");
  EXPECT_EQ(duration_text(365 * 86'400'000LL + 3'600'000), "365d1h");
  EXPECT_TRUE(duration_text(std::numeric_limits<std::int64_t>::min()).starts_with("-106751991167d"));
}

std::string resolved(const std::string& text, QuerySteps steps) {
  const auto tree = parse(text);
  if (!tree) return tree.error().message;
  const auto status = resolve_durations(**tree, steps, text);
  return status ? testing::text_of(**tree) : status.error().message;
}

TEST(PromqlDurations, ResolvedWithTheSteps) {
  constexpr QuerySteps kSteps{.step_ms = 15'000, .range_ms = 3'600'000};
  EXPECT_EQ(resolved("m[step()*2:max(step(),1s)] offset -range()", kSteps),
            "(sub m{__name__='m'} (* (step) 2s)=30000ms (max (step) 1s)=15000ms offset (neg (range))=-3600000ms)");
  EXPECT_EQ(resolved("-sum(rate(m[range()])) > bool (topk(1, n offset step()))", kSteps),
            "(> bool (neg (sum (rate (range m{__name__='m'} (range)=3600000ms)))) "
            "((topk 1 n{__name__='n'} offset (step)=15000ms)))");
  EXPECT_EQ(resolved("m[5m+1]", {}), "(range m{__name__='m'} (+ 300s 1s)=301000ms)");
  // Of one time, step() and range() are 0.
  EXPECT_EQ(resolved("m offset step()", {}), "m{__name__='m'} offset (step)=0ms");
  EXPECT_EQ(resolved("sum(rate(m[step()]))", {}), "1:12: parse error: duration must be greater than 0");
  EXPECT_EQ(resolved("m[1s:1-range()]", kSteps), "1:6: parse error: duration must be greater than 0");
  EXPECT_EQ(resolved("m offset (10 % step())", {}), "1:10: parse error: modulo by zero");
  EXPECT_EQ(resolved("m[5 + 1 / step()]", {}), "1:7: parse error: division by zero");
  EXPECT_EQ(resolved("m[range() ^ 9]", kSteps), "1:3: parse error: duration out of range");
}

}  // namespace
}  // namespace varve::language::promql
