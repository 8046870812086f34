// SPDX-License-Identifier: Apache-2.0
#include "config/units.h"

#include <gtest/gtest.h>

#include "config/address.h"

namespace varve::config {
namespace {

constexpr std::int64_t kBad = -1;

TEST(Units, Durations) {
  const auto f = [](std::string_view text, std::int64_t want) {
    EXPECT_EQ(parse_duration_ms(text).value_or(kBad), want) << text;
  };
  f("500ms", 500);
  f("10s", 10'000);
  f("5m", 300'000);
  f("1h", 3'600'000);
  f("14d", 14LL * 86'400'000);
  f("2w", 14LL * 86'400'000);
  f("1y", 365LL * 86'400'000);
  f("0s", 0);
  f("292471208y", 292471208LL * 365 * 86'400'000);
  f("292471209y", kBad);  // over 63 bits
  f("99999999999999999999s", kBad);
  f("", kBad);
  f("10", kBad);
  f("s", kBad);
  f("-1s", kBad);
  f("+1s", kBad);
  f("1.5h", kBad);
  f("1h30m", kBad);
  f("1 h", kBad);
  f(" 1h", kBad);
  f("1H", kBad);
  f("1min", kBad);
  f("1n", kBad);  // a month of the calendar elsewhere
}

TEST(Units, Sizes) {
  const auto f = [](std::string_view text, std::int64_t want) {
    const auto got = parse_size_bytes(text);
    EXPECT_EQ(got ? static_cast<std::int64_t>(*got) : kBad, want) << text;
  };
  f("0", 0);
  f("1024", 1024);
  f("7B", 7);
  f("64KiB", 65536);
  f("64MiB", 64LL << 20);
  f("1GiB", 1LL << 30);
  f("8TiB", 8LL << 40);
  f("8388607TiB", 8388607LL << 40);
  f("8388608TiB", kBad);
  f("1KB", kBad);
  f("1k", kBad);
  f("1.5GiB", kBad);
  f("GiB", kBad);
  f("-1", kBad);
  f("", kBad);
}

TEST(Units, Switches) {
  EXPECT_TRUE(parse_switch("true").value());
  EXPECT_FALSE(parse_switch("false").value());
  for (const auto* text : {"", "yes", "1", "True", "on"}) EXPECT_FALSE(parse_switch(text)) << text;
}

TEST(Units, Lists) {
  using Parts = std::vector<std::string_view>;
  EXPECT_EQ(split_list(""), Parts{});
  EXPECT_EQ(split_list("  "), Parts{});
  EXPECT_EQ(split_list("a"), Parts{"a"});
  EXPECT_EQ(split_list("a,b"), (Parts{"a", "b"}));
  EXPECT_EQ(split_list(" a , b "), (Parts{"a", "b"}));
  EXPECT_EQ(split_list("a,,b,"), (Parts{"a", "", "b", ""}));
}

TEST(Address, Parses) {
  const auto f = [](std::string_view text, std::string_view host, int port) {
    const auto got = parse_address(text);
    ASSERT_TRUE(got) << text;
    EXPECT_EQ(got->host, host) << text;
    EXPECT_EQ(got->port, port) << text;
  };
  f("127.0.0.1:8080", "127.0.0.1", 8080);
  f("localhost:1", "127.0.0.1", 1);
  f("0.0.0.0:65535", "0.0.0.0", 65535);
  f(":8080", "0.0.0.0", 8080);
  f("[::1]:0", "::1", 0);
  f("[::]:4242", "::", 4242);
}

TEST(Address, Prints) {
  EXPECT_EQ(to_string({"127.0.0.1", 80}), "127.0.0.1:80");
  EXPECT_EQ(to_string({"::1", 0}), "[::1]:0");
}

TEST(Address, Refuses) {
  for (const auto* text : {"", "8080", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:x",
                           "::1:80", "[::1]", "[127.0.0.1]:80", "example.org:80", "127.0.0.256:80", "1.2.3:80"}) {
    EXPECT_FALSE(parse_address(text)) << text;
  }
}

TEST(Address, Loopback) {
  const auto f = [](std::string_view text) { return is_loopback(parse_address(text).value()); };
  EXPECT_TRUE(f("127.0.0.1:1"));
  EXPECT_TRUE(f("127.9.9.9:1"));
  EXPECT_TRUE(f("localhost:1"));
  EXPECT_TRUE(f("[::1]:1"));
  EXPECT_FALSE(f(":1"));
  EXPECT_FALSE(f("0.0.0.0:1"));
  EXPECT_FALSE(f("[::]:1"));
  EXPECT_FALSE(f("192.168.1.1:1"));
}

}  // namespace
}  // namespace varve::config
