// SPDX-License-Identifier: Apache-2.0
#include "counter/declared.h"

#include <gtest/gtest.h>

namespace varve::counter {
namespace {

std::string_view no_tag(std::string_view) { return ""; }

TEST(Declared, PatternsFit) {
  const auto expect = [](std::string_view pattern, std::string_view name, bool fit) {
    EXPECT_EQ(fits(pattern, name), fit) << pattern << " " << name;
  };
  expect("*_total", "requests_total", true);
  expect("*_total", "_total", true);
  expect("*_total", "total", false);
  expect("*_total", "a_total_total", true);
  expect("*_total", "requests_totals", false);
  expect("http.*.count", "http.get.count", true);
  expect("http.*.count", "http..count", true);
  expect("http.*.count", "http.count", false);
  expect("http.*.count", "http.get.count.count", true);
  expect("a*b*c", "abc", true);
  expect("a*b*c", "a1b2b3c", true);
  expect("a*b*c", "acb", false);
  expect("requests", "requests", true);
  expect("requests", "requests_", false);
  expect("requests", "Requests", false);
  expect("*", "", true);
  expect("**", "x", true);
  expect("", "", true);
  expect("", "x", false);
  expect("*aaaaaaaaaaaaaaaaaaaab", std::string(2000, 'a'), false);
}

TEST(Declared, TheFirstPatternThatFits) {
  const Declared declared({{"slow_*", 300'000}, {"*_total", 60'000}, {"slow_total", 1000}});
  EXPECT_EQ(declared.find("t", "slow_total", no_tag)->base_ms, 300'000);
  const auto found = declared.find("t", "requests_total", no_tag);
  EXPECT_EQ(found->base_ms, 60'000);
  EXPECT_EQ(found->rules.gap_ms, 180'000);
  EXPECT_EQ(found->rules.fall, Fall::unknown);
  EXPECT_EQ(found->rules.max_per_second, std::nullopt);
  EXPECT_EQ(declared.find("t", "requests", no_tag), std::nullopt);
  EXPECT_EQ(Declared().find("t", "requests_total", no_tag), std::nullopt);
}

TEST(Declared, SourcesAreAskedBeforePatterns) {
  Declared declared({{"snmp.*", 60'000}});
  declared.add([](std::string_view tenant, std::string_view metric, const TagOf& tag) -> std::optional<Declaration> {
    if (tenant != "a" || metric != "snmp.ifInOctets" || tag("oidset") != "FastPoll") return std::nullopt;
    return Declaration{30'000, {.gap_ms = 90'000, .fall = Fall::wrap32}, {{0, 1e9}}};
  });
  const TagOf fast = [](std::string_view key) { return key == "oidset" ? "FastPoll" : ""; };
  EXPECT_EQ(declared.find("a", "snmp.ifInOctets", fast)->rules.fall, Fall::wrap32);
  EXPECT_EQ(declared.find("a", "snmp.ifInOctets", fast)->ceilings.size(), 1U);
  EXPECT_EQ(declared.find("b", "snmp.ifInOctets", fast)->base_ms, 60'000);
  EXPECT_EQ(declared.find("a", "snmp.ifInOctets", no_tag)->base_ms, 60'000);
}

TEST(Declared, ACeilingHoldsFromItsTimeOn) {
  Declaration declared{60'000, {.gap_ms = 180'000}, {{10, 100}, {20, 1000}}};
  const auto most_at = [&](model::Timestamp time) { return rules_at(declared, time).max_wrap_per_second; };
  EXPECT_EQ(most_at(9), std::nullopt);
  EXPECT_EQ(most_at(10), 100);
  EXPECT_EQ(most_at(19), 100);
  EXPECT_EQ(most_at(20), 1000);
}

}  // namespace
}  // namespace varve::counter
