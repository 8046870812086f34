// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments.h"

#include <gtest/gtest.h>

namespace varve::cli {
namespace {

// "command help config=FILE key=value … !fault …"
std::string parsed(std::initializer_list<std::string_view> args) {
  const Arguments got = parse_arguments(std::vector<std::string_view>(args));
  std::string out = got.command + (got.object.empty() ? "" : "/" + got.object);
  if (got.help) out += " help";
  if (got.config_file) out += " config=" + *got.config_file;
  for (const auto& flag : got.flags) out += " " + flag.key + "=" + flag.value;
  for (const auto& fault : got.faults) out += " !" + fault.substr(0, fault.find(';'));
  return out;
}

TEST(Arguments, Parse) {
  EXPECT_EQ(parsed({}), "");
  EXPECT_EQ(parsed({"serve"}), "serve");
  EXPECT_EQ(parsed({"--help"}), " help");
  EXPECT_EQ(parsed({"serve", "-h"}), "serve help");
  EXPECT_EQ(parsed({"serve", "--slots.width=1h"}), "serve slots.width=1h");
  EXPECT_EQ(parsed({"serve", "--slots.width", "1h"}), "serve slots.width=1h");
  EXPECT_EQ(parsed({"serve", "--telnet.listen="}), "serve telnet.listen=");
  EXPECT_EQ(parsed({"serve", "--telnet.listen", ""}), "serve telnet.listen=");
  EXPECT_EQ(parsed({"serve", "--redis.url=redis://h/?a=b"}), "serve redis.url=redis://h/?a=b");
  EXPECT_EQ(parsed({"serve", "--storage.repair"}), "serve storage.repair=true");
  EXPECT_EQ(parsed({"serve", "--storage.repair", "--engine=x"}), "serve storage.repair=true engine=x");
  EXPECT_EQ(parsed({"serve", "--storage.repair=false"}), "serve storage.repair=false");
  EXPECT_EQ(parsed({"check", "--config", "a.yaml"}), "check config=a.yaml");
  EXPECT_EQ(parsed({"check", "--config=a.yaml", "--engine=x"}), "check config=a.yaml engine=x");
  EXPECT_EQ(parsed({"migrate", "kairosdb", "--from", "cassandra://h/k", "--tenant=t", "--engine=cluster"}),
            "migrate/kairosdb from=cassandra://h/k tenant=t engine=cluster");
  EXPECT_EQ(parsed({"migrate", "--help"}), "migrate help");
  EXPECT_EQ(parsed({"serve", "--no.such.key"}), "serve no.such.key=");  // config/ refuses it
}

TEST(Arguments, Faults) {
  EXPECT_EQ(parsed({"serve", "now"}), "serve !\"now\": unexpected");
  EXPECT_EQ(parsed({"serve", "slots.width=1h"}), "serve !\"slots.width=1h\": unexpected");
  EXPECT_EQ(parsed({"serve", "--slots.width"}), "serve !--slots.width: a value is missing");
  EXPECT_EQ(parsed({"migrate", "kairosdb", "--from"}), "migrate/kairosdb !--from: a value is missing");
  EXPECT_EQ(parsed({"migrate", "kairosdb", "more"}), "migrate/kairosdb !\"more\": unexpected");
  EXPECT_EQ(parsed({"help", "serve", "more"}), "help/serve !\"more\": unexpected");
  EXPECT_EQ(parsed({"serve", "--config", "--engine=x"}), "serve engine=x !--config: a value is missing");
}

}  // namespace
}  // namespace varve::cli
