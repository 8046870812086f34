// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.h"

#include <gtest/gtest.h>

namespace varve::cli {
namespace {

struct Ran {
  int status;
  std::string out;
  std::string err;
};

Ran ran(std::initializer_list<std::string_view> args, std::vector<std::string> environment = {}) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int status = run(std::vector<std::string_view>(args), std::move(environment));
  return {status, testing::internal::GetCapturedStdout(), testing::internal::GetCapturedStderr()};
}

TEST(Commands, Help) {
  EXPECT_EQ(ran({}).status, 2);
  EXPECT_TRUE(ran({}).err.find("usage: varve COMMAND") != std::string::npos);
  EXPECT_EQ(ran({"--help"}).status, 0);
  EXPECT_EQ(ran({"help"}).status, 0);
  for (const auto* command : {"serve", "logs", "check", "schema", "migrate", "version"}) {
    const Ran got = ran({command, "--help"});
    EXPECT_EQ(got.status, 0) << command;
    EXPECT_TRUE(got.out.find("example") != std::string::npos || got.out.find("Examples") != std::string::npos)
        << command;
  }
  EXPECT_NE(ran({"serve", "--help"}).out.find("--slots.width=1h"), std::string::npos);
  for (const auto* command : {"serve", "logs", "device", "check", "schema", "migrate", "version"}) {
    const Ran got = ran({"help", command});
    EXPECT_EQ(got.status, 0) << command;
    EXPECT_EQ(got.out, ran({command, "--help"}).out) << command;
  }
  EXPECT_EQ(ran({"help", "bake"}).status, 2);
}

TEST(Commands, Version) {
  for (const auto* form : {"version", "--version"}) {
    const Ran got = ran({form});
    EXPECT_EQ(got.status, 0);
    EXPECT_TRUE(got.out.starts_with("varve 0.") && got.out.ends_with(")\n")) << got.out;
  }
  EXPECT_EQ(ran({"version", "--slots.width=1h"}).status, 2);
}

TEST(Commands, CheckPrintsEveryKeyAndWhereItWasSaid) {
  const Ran got = ran({"check", "--query.timeout=3s"}, {"VARVE_SLOTS_QUIET=7s"});
  EXPECT_EQ(got.status, 0) << got.err;
  EXPECT_NE(got.out.find("  timeout: 3s "), std::string::npos) << got.out;
  EXPECT_NE(got.out.find("# --query.timeout"), std::string::npos) << got.out;
  EXPECT_NE(got.out.find("# VARVE_SLOTS_QUIET"), std::string::npos) << got.out;
  EXPECT_NE(got.out.find("engine: embedded\n"), std::string::npos) << got.out;
  EXPECT_EQ(ran({"check", "--redis.url=redis://u:secret@h"}).out.find("secret"), std::string::npos);
}

TEST(Commands, EachFaultIsOneLine) {
  const Ran got = ran({"check", "--engine=stone", "--no.such.key=1", "word"});
  EXPECT_EQ(got.status, 2);
  EXPECT_EQ(got.out, "");
  EXPECT_EQ(std::count(got.err.begin(), got.err.end(), '\n'), 3) << got.err;
  EXPECT_NE(got.err.find("varve: engine=stone (--engine): allowed is embedded or cluster\n"), std::string::npos)
      << got.err;
}

TEST(Commands, TwoCannotListenAtOneAddress) {
  for (const auto* command : {"check", "serve"}) {
    const Ran got = ran({command, "--http.listen=127.0.0.1:4242", "--telnet.listen=localhost:4242"});
    EXPECT_EQ(got.status, 2) << command;
    EXPECT_EQ(got.err,
              "varve: telnet.listen=localhost:4242: http.listen=127.0.0.1:4242 listens there; allowed is "
              "another port or address\n");
  }
}

TEST(Commands, ServeRefusesAPublicAddress) {
  const Ran got = ran({"serve", "--http.listen=0.0.0.0:0"});
  EXPECT_EQ(got.status, 2);
  EXPECT_NE(got.err.find("http.insecure_public=true"), std::string::npos) << got.err;
}

TEST(Commands, MigrateSaysWhatIsWrong) {
  EXPECT_EQ(ran({"migrate"}).status, 2);
  EXPECT_NE(ran({"migrate"}).err.find("expected: varve migrate kairosdb or varve migrate contrail"), std::string::npos);
  EXPECT_NE(ran({"migrate", "contrail"}).status, 0);
  EXPECT_EQ(ran({"migrate", "influx", "--from=cassandra://h/k"}).status, 2);
  EXPECT_EQ(ran({"serve", "--from=x"}).status, 2);
}

TEST(Commands, Unknown) {
  EXPECT_EQ(ran({"bake"}).status, 2);
  EXPECT_NE(ran({"bake"}).err.find("no such command"), std::string::npos);
}

}  // namespace
}  // namespace varve::cli
