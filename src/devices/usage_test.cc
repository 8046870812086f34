// SPDX-License-Identifier: Apache-2.0
#include "devices/usage.h"

#include <gtest/gtest.h>

namespace varve::devices {
namespace {

std::string path_of(std::vector<std::string_view> arguments) {
  arguments.insert(arguments.begin(), "usage");
  const ParsedOptions parsed = parse_options(arguments);
  if (!parsed.faults.empty()) return parsed.faults[0];
  const auto path = usage_path(parsed.options);
  return path ? path->substr(std::string_view("/api/v1/snmp/usage?").size()) : path.error().message;
}

TEST(DeviceUsage, asks) {
  EXPECT_EQ(path_of({}), "agg=300");
  EXPECT_EQ(path_of({"--begin", "2026-11-25", "--end=2026-11-25T12:00:00+01:00"}),
            "agg=300&begin=1795564800&end=1795604400");
  EXPECT_EQ(path_of({"--begin", "1795564800999"}), "agg=300&begin=1795564800");
  EXPECT_EQ(path_of({"--device", "a/b", "--device=c", "--interface", "xe-0/0/0", "--alias", "to x", "--tag", "k=v=w",
                     "--agg", "30", "--sort", "in.p95", "--limit=3", "--sum", "--csv"}),
            "agg=30&device=a%2Fb&device=c&interface=xe-0%2F0%2F0&ifAlias__contains=to%20x&tag=k%3Dv%3Dw&sort=in%2Ep95"
            "&limit=3&sum=1");
  EXPECT_EQ(path_of({"--begin", "yesterday"}),
            "--begin: \"yesterday\": a time is 2026-11-25, 2026-11-25T12:00:00Z or ms since 1970");
  EXPECT_EQ(path_of({"--csv", "--json"}), "--csv: not with --json");
  EXPECT_EQ(path_of({"r"}), "expected: varve device usage [FLAG ...]");
}

constexpr std::string_view kAnswer =
    R"({"begin":0,"end":600,"agg":300,"interfaces":[{"device":"r","interface":"xe-0/0/0","ifAlias":"a, \"b\"",)"
    R"("speed":10000000000,"coverage":0.99826,"in":{"bytes":123456,"average":125000.5,"max":2e7,"p95":124.9,)"
    R"("utilisation":0.0001},"out":{"bytes":null,"average":null,"max":null,"p95":null,"utilisation":null}}],)"
    R"("sum":{"in":{"bytes":0,"average":0,"max":0,"p95":0,"utilisation":null},)"
    R"("out":{"bytes":null,"average":null,"max":null,"p95":null,"utilisation":null}}})";

TEST(DeviceUsage, shows) {
  protocol::json::Reader reader(kAnswer);
  const auto tree = protocol::json::read_strict(reader);
  ASSERT_TRUE(tree);
  EXPECT_EQ(usage_csv(*tree),
            "device,interface,ifAlias,speed,coverage,in.bytes,in.average,in.max,in.p95,in.utilisation,"
            "out.bytes,out.average,out.max,out.p95,out.utilisation\r\n"
            "r,xe-0/0/0,\"a, \"\"b\"\"\",10000000000,0.99826,123456,125000.5,2e7,124.9,0.0001,,,,,\r\n"
            ",,,,,0,0,0,0,,,,,,\r\n");
  EXPECT_EQ(
      usage_text(*tree),
      "DEVICE  INTERFACE  ALIAS   SPEED  KNOWN  IN      AVG b/s  MAX     P95    USED   OUT  AVG b/s  MAX  P95  USED\n"
      "r       xe-0/0/0   a, \"b\"  10.0G  99.8%  123.5k  1.0M     160.0M  999.2  <0.1%  -    -        -    -    -\n"
      "(sum)                      -      -      0       0        0       0      -      -    -        -    -    -\n");
}

}  // namespace
}  // namespace varve::devices
