// SPDX-License-Identifier: Apache-2.0
// From flags to the JSON of a query.
#include "logs/question.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

#include "logs/http_call.h"
#include "logs/options.h"

namespace varve::logs {
namespace {

using Arguments = std::vector<std::string_view>;

// From "where" on, or what is wrong; without what never changes.
std::string asked(const Arguments& arguments) {
  const ParsedOptions parsed = parse_options(arguments);
  std::string faults;
  for (const auto& fault : parsed.faults) faults += "! " + fault + "\n";
  return faults.empty() ? question_of(parsed.options) : faults;
}

void expect_has(const Arguments& arguments, std::string_view part) {
  const std::string got = asked(arguments);
  EXPECT_NE(got.find(part), std::string::npos) << part << "\n" << got;
}
void expect_lacks(const Arguments& arguments, std::string_view part) {
  const std::string got = asked(arguments);
  EXPECT_EQ(got.find(part), std::string::npos) << part << "\n" << got;
}

TEST(Question, WithoutFlags) {
  EXPECT_EQ(
      asked({}),
      R"({"table":"MessageTable","start_time":"now-10m","end_time":"now","select_fields":["MessageTS","Source",)"
      R"("NodeType","ModuleId","InstanceId","Messagetype","Type","Category","Level","SequenceNum","Pid","Xmlmessage","*"],)"
      R"("sort_fields":["MessageTS"],"sort":1})");
}

TEST(Question, Times) {
  expect_has({"--last", "25m"}, R"("start_time":"now-25m","end_time":"now")");
  expect_has({"--start-time", "-10m", "--end-time=now-5m"}, R"("start_time":"now-10m","end_time":"now-5m")");
  expect_has({"--start-time=1488491800401440"}, R"("start_time":"1488491800401440","end_time":"now")");
  expect_has({"--last=10m", "--end-time=now"}, "! --last: not with --start-time or --end-time");
  expect_has({"--end-time=now"}, "! --end-time: --start-time is missing");
  expect_has({"--last=ten"}, "! --last: \"ten\" is not a duration");
}

TEST(Question, WhereIsACrossProduct) {
  const Arguments many{"--source", "a", "b*", "--module", "x", "--module=y", "--message-type=T*"};
  expect_has(many, R"("where":[[{"name":"Source","value":"a","op":1},{"name":"ModuleId","value":"x","op":1},)"
                   R"({"name":"Messagetype","value":"T","op":7}],[)");
  expect_has(many, R"([{"name":"Source","value":"b","op":7},{"name":"ModuleId","value":"y","op":1},)");
  expect_has({"--keywords", "time*,out", "--where", "Source=a OR n=1<2"},
             R"("where":[[{"name":"Source","value":"a","op":1},{"name":"Keyword","value":"time","op":7},)"
             R"({"name":"Keyword","value":"out","op":1}],[{"name":"n","value":"1","op":3,"value2":"2"},)");
  expect_has({"--where", "a"}, "! --where: one of =");
  expect_has({"--trace=T", "--source=s", "--module=m"}, R"("filter":[{"name":"Type","value":"trace","op":1}])");
  expect_has({"--trace=T"}, "! --trace: it needs --source and --module");
}

TEST(Question, FilterIsTheRest) {
  expect_has({"--level", "SYS_WARN", "--category=c*", "--node-type=N", "--instance-id=0"},
             R"("filter":[{"name":"NodeType","value":"N","op":1},{"name":"InstanceId","value":"0","op":1},)"
             R"({"name":"Category","value":"c","op":7},{"name":"Level","value":"4","op":5}])");
  expect_has({"--level", "7"}, R"({"name":"Level","value":"7","op":5})");
  expect_has({"--level", "loud"}, "! --level: \"loud\" is not a level");
  for (const auto* const level : {"8", "9", "-1"}) expect_has({"--level", level}, "! --level: \"");
  expect_has({"--level=9"}, "! --level: \"9\" is not a level; write 0 to 7");
  expect_lacks({"--level", "7"}, "where");
}

TEST(Question, Objects) {
  expect_has({"--object-type", "virtual-network", "--object-values"},
             R"({"table":"ObjectVNTable","start_time":"now-10m","end_time":"now","select_fields":["ObjectId"]})");
  expect_has({"--object-type=config-user", "--object-id=a:*"},
             R"("where":[[{"name":"ObjectId","value":"a:","op":7}]])");
  expect_has({"--object-type=MyTable"}, R"("table":"MyTable")");
  expect_has({"--object-type=vrouter"}, R"("ObjectLog","SystemLog","*"])");
  expect_lacks({"--object-type=vrouter", "--object-select-field=ObjectLog"}, "SystemLog");
  expect_has({"--object-id=x"}, "! --object-id: --object-type is missing");
  expect_has(
      {"--message-types"},
      R"("select_fields":["fields.value"],"where":[[{"name":"name","value":"MessageTable:Messagetype","op":1}]]})");
}

TEST(Question, Output) {
  expect_has({"--reverse", "--limit", "5"}, R"("sort":2,"limit":5)");
  expect_has({"--fields", "a.b,c", "d"}, R"("Xmlmessage","a.b","c","d"])");
  expect_lacks({"--fields", "a"}, R"("*")");
  expect_has({"--json"}, R"("IPAddress","Pid","ObjectName","Xmlmessage","*"])");
  expect_lacks({"--format=contrail"}, R"("*")");
  expect_lacks({"--raw"}, R"("*")");
  expect_lacks({"--send-syslog"}, R"("*")");
  expect_has({"--send-syslog"}, R"("Pid")");
  expect_has({"--fields"}, R"("select_fields":["*"]})");
  expect_has({"--fields", "--level=err"}, R"("select_fields":["*"],"filter")");
  expect_has({"--fields="}, R"("select_fields":["*"]})");
  expect_has({"--fields", "-f"}, "! --tail: not with --fields alone");
  expect_has({"-f", "--limit=3"}, R"("Xmlmessage","*"],"follow":true})");
  expect_has({"-f"}, R"("start_time":"now-10s")");
  expect_has({"--tail", "--reverse", "--last=1h"}, "! --last: not with -f");
  for (const auto* const limit : {"0", "-1", "x", "5x", "99999999999999999999"})
    expect_has({"--limit", limit}, "! --limit");
  expect_has({"--json", "--raw"}, "! --json: not with --raw");
  expect_has({"--json", "--format=raw"}, "! --json: --format says another one");
  expect_has({"--raw", "--format=raw"}, R"("start_time")");
  expect_has({"--format=xml"}, "! --format: allowed is text, contrail, raw, json or logfmt");
  expect_has({"--syslog-port=70000"}, "! --syslog-port");
}

TEST(Question, FlagsThatAreWrong) {
  expect_has({"--colour"}, "! \"--colour\": no such flag");
  expect_has({"word"}, "! \"word\": no such flag");
  expect_has({"--source"}, "! --source: a value is missing");
  expect_has({"--source", "--module=x"}, "! --source: a value is missing");
  expect_has({"--reverse=yes"}, "! --reverse: it takes no value");
  expect_has({"--source", "a", "-f"}, "follow");
}

TEST(Question, ConfFile) {
  const std::string path = testing::TempDir() + "/varve-logs.conf";
  std::ofstream(path) << "[DEFAULTS]\n# comment\nanalytics_api_ip = 10.0.0.1\nlimit=7\nreverse = true\n";
  const std::string flag = "--conf-file=" + path;
  const Arguments arguments{flag, "--limit=3"};
  const ParsedOptions parsed = parse_options(arguments);
  EXPECT_TRUE(parsed.faults.empty()) << parsed.faults[0];
  EXPECT_EQ(parsed.options.url, "http://10.0.0.1:8080");
  EXPECT_EQ(parsed.options.limit, 3U);
  EXPECT_TRUE(parsed.options.reverse);
  std::ofstream(path) << "wages = 1\n";
  expect_has({flag}, ": wages: no such flag");
  std::ofstream(path) << "wages\n";
  expect_has({flag}, ":1: \"name = value\" is expected");
  std::remove(path.c_str());
  expect_has({flag}, "No such file");
}

TEST(Question, Urls) {
  const auto parts = [](std::string_view text) {
    const auto url = parse_url(text);
    return url ? url->credentials + "@" + url->host + " " + url->port + " " + url->path : "! " + url.error().message;
  };
  EXPECT_EQ(parts("http://h:8080"), "@h 8080 ");
  EXPECT_EQ(parts("HTTP://h/"), "@h 80 ");
  EXPECT_EQ(parts("h:1"), "@h 1 ");
  EXPECT_EQ(parts("http://u:p@h:1/a/b/"), "u:p@h 1 /a/b");
  EXPECT_EQ(parts("http://[::1]:8080/x"), "@::1 8080 /x");
  EXPECT_EQ(parts("[::1]"), "@::1 80 ");
  EXPECT_EQ(parts("https://h/x"), "@h 443 /x");
  EXPECT_TRUE(parse_url("HTTPS://h:8443")->tls);
  for (const auto* const bad : {"", "http://", "ftp://h", "h:0", "h:70000", "h:x", "h:", "a b:1"}) {
    EXPECT_EQ(parts(bad)[0], '!') << bad;
  }
  expect_has({"--url=ftp://h"}, "! --url: \"ftp://h\": only http and https are spoken");
  expect_has({"--server=ftp://h"}, "! --server: \"ftp://h\": only http");
  expect_has({"--server=http://h", "--url=http://h"}, "! --url: it says what --server says, too");
  EXPECT_EQ(parse_options(Arguments{"--server=https://h"}).options.url, "https://h");
  expect_has({"--url=http://h", "--analytics-api-port=1"}, "! --url: it says what");
  const Arguments contrail{"--analytics-api-ip", "::1", "--analytics-api-port", "8081"};
  EXPECT_EQ(parse_options(contrail).options.url, "http://[::1]:8081");
}

}  // namespace
}  // namespace varve::logs
