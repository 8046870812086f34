// SPDX-License-Identifier: Apache-2.0
#include "language/usage/figures.h"

#include <gtest/gtest.h>

#include <charconv>
#include <sstream>
#include <string>

namespace varve::language::usage {
namespace {

constexpr std::int64_t kBinMs = 300'000;

// "0:300/300 1:150.5/60": of the bins with these numbers, bytes in so many covered seconds.
UsageBins bins_of(const std::string& text) {
  UsageBins out;
  std::istringstream in(text);
  for (std::string word; in >> word;) {
    const std::size_t colon = word.find(':'), slash = word.find('/');
    UsageBin& bin = out.emplace_back();
    bin.start = std::stoll(word) * kBinMs;
    const std::string bytes = word.substr(colon + 1, slash - colon - 1);
    const std::int64_t covered_ms = std::stoll(word.substr(slash + 1)) * 1000;
    if (bytes.find('.') == std::string::npos) {
      bin.growth.add(std::uint64_t{std::stoull(bytes)}, covered_ms);
    } else {
      bin.growth.add(std::stod(bytes), covered_ms);
    }
  }
  return out;
}

std::string shortest(double number) {
  char text[40];
  return {text, std::to_chars(text, text + sizeof text, number).ptr};
}

std::string text_of(const UsageFigures& figures) {
  if (!figures.is_known()) return "unknown";
  const aggregate::Growth& growth = figures.growth;
  std::string out =
      growth.is_real ? shortest(static_cast<double>(growth.whole) + growth.real) : std::to_string(growth.whole);
  out += " in " + std::to_string(growth.covered_ms / 1000) + " s:";
  for (const double rate : {figures.average, figures.max, figures.p95}) out += " " + shortest(rate);
  const auto used = figures.utilisation();
  return out + " " + (used ? shortest(*used) : "?");
}

std::string texts_of(const UsageBins& bins) {
  std::string out;
  for (const UsageBin& bin : bins) {
    out += (out.empty() ? "" : " ") + std::to_string(bin.start / kBinMs) + ":" + shortest(bin.bytes()) + "/" +
           std::to_string(bin.growth.covered_ms / 1000);
  }
  return out;
}

// Of as many bins, whose rates are 1, 2, 3 … in no order.
std::string percentile_of(std::size_t count) {
  UsageBins bins;
  for (std::size_t i = 0; i < count; ++i) {
    UsageBin& bin = bins.emplace_back();
    bin.start = static_cast<model::Timestamp>(i) * kBinMs;
    bin.growth.add(std::uint64_t{i * 7919 % count + 1}, 1000);
  }
  return shortest(usage_figures(bins, kBinMs, {}).p95);
}

TEST(UsageFigures, ofOneInterface) {
  struct Case {
    const char* bins;
    std::vector<SpeedSpan> speeds;
    const char* figures;  // bytes, covered time, average, max, p95, utilisation
  };
  constexpr auto at = [](std::int64_t bin) { return bin * kBinMs; };
  const Case cases[] = {
      {"", {}, "unknown"},
      {"0:0/300", {}, "0 in 300 s: 0 0 0 ?"},
      {"0:300/300", {{{at(0), at(9)}, 8}}, "300 in 300 s: 1 1 1 1"},
      // The average is that of the covered time, whatever the bins.
      {"0:300/300 5:600/100", {}, "900 in 400 s: 2.25 6 6 ?"},
      {"0:300/300 5:0.5/100", {}, "300.5 in 400 s: 0.75125 1 1 ?"},
      // Over 2^53 bytes stay exact, and beyond 64 bits it stays at the greatest.
      {"0:9007199254740993/300 1:0/300",
       {{{at(0), at(2)}, 1}},
       "9007199254740993 in 600 s: 15011998757901.654 30023997515803.31 30023997515803.31 120095990063213.23"},
      {"0:18446744073709551615/1 1:7/1",
       {},
       "18446744073709551615 in 2 s: 9223372036854775808 18446744073709551616 18446744073709551616 ?"},
      // The speed changes with the bin, and inside of it.
      {"0:300/300 1:300/300", {{{at(0), at(1)}, 8}, {{at(1), at(2)}, 24}}, "600 in 600 s: 1 1 1 0.5"},
      {"0:300/300", {{{at(0), at(0) + 100'000}, 8}, {{at(0) + 100'000, at(1)}, 20}}, "300 in 300 s: 1 1 1 0.5"},
      // Nothing is said of the time in which no speed is known.
      {"0:300/300 1:600/300", {{{at(1), at(2)}, 32}}, "900 in 600 s: 1.5 2 2 0.5"},
      {"0:300/300", {{{at(1), at(2)}, 32}}, "300 in 300 s: 1 1 1 ?"},
      // A bin of which a part is known could have carried so much less.
      {"0:150/75", {{{at(0), at(1)}, 32}}, "150 in 75 s: 2 2 2 0.5"},
      // Counted from 1970, also before.
      {"-2:300/300 -1:600/300", {{{at(-2), at(-1)}, 16}}, "900 in 600 s: 1.5 2 2 0.5"},
  };
  for (const Case& one : cases) {
    EXPECT_EQ(text_of(usage_figures(bins_of(one.bins), kBinMs, one.speeds)), one.figures) << one.bins;
  }
}

TEST(UsageFigures, percentileIsTheNearestRank) {
  const std::pair<std::size_t, const char*> ranks[] = {{1, "1"},    {2, "2"},     {10, "10"},    {19, "19"},
                                                       {20, "19"},  {21, "20"},   {39, "38"},    {40, "38"},
                                                       {100, "95"}, {288, "274"}, {8640, "8208"}};
  for (const auto& [count, rank] : ranks) {
    EXPECT_EQ(percentile_of(count), rank) << count;
  }
}

TEST(UsageFigures, ofTwoSourcesTheOneThatCoversMore) {
  const auto merged = [](const char* first, const char* second) {
    return texts_of(more_covered(bins_of(first), bins_of(second)));
  };
  EXPECT_EQ(merged("", ""), "");
  EXPECT_EQ(merged("0:1/300 2:2/300", "1:3/10"), "0:1/300 1:3/10 2:2/300");
  EXPECT_EQ(merged("0:1/100 1:2/300", "0:7/101 1:9/300"), "0:7/101 1:2/300");
  EXPECT_EQ(merged("1:2/300", "-1:5/1 1:9/299 2:6/1"), "-1:5/1 1:2/300 2:6/1");
}

TEST(UsageFigures, ofTheSum) {
  const auto sum_of = [](std::vector<std::string> interfaces, const std::vector<SpeedSpan>& speeds) {
    UsageSum sum;
    for (const std::string& one : interfaces) {
      const UsageBins bins = bins_of(one);
      sum.add(bins, usage_figures(bins, kBinMs, speeds));
    }
    return text_of(sum.figures());
  };
  EXPECT_EQ(sum_of({}, {}), "unknown");
  EXPECT_EQ(sum_of({"", ""}, {}), "unknown");
  // That of one is that of itself.
  EXPECT_EQ(sum_of({"0:300/300 5:600/100"}, {{{0, kBinMs}, 8}}), "900 in 400 s: 2.25 6 6 1");
  // Added at each time and then ranked: not the sum of the maxima.
  EXPECT_EQ(sum_of({"0:300/300 1:900/300", "0:900/300 1:300/300"}, {}), "2400 in 1200 s: 4 4 4 ?");
  // Known where any is, and for as long as that.
  EXPECT_EQ(sum_of({"0:300/300 2:300/100", "1:600/300 2:600/200"}, {{{0, 9 * kBinMs}, 8}}),
            "1800 in 900 s: 2.625 6 6 2");
}

}  // namespace
}  // namespace varve::language::usage
