// SPDX-License-Identifier: Apache-2.0
#include "devices/options.h"

#include <gtest/gtest.h>

#include "devices/change.h"
#include "devices/print.h"

namespace varve::devices {
namespace {

ParsedOptions parsed(std::vector<std::string_view> arguments) { return parse_options(arguments); }

std::string faults_of(std::vector<std::string_view> arguments) {
  std::string out;
  for (const std::string& fault : parsed(std::move(arguments)).faults) out += (out.empty() ? "" : "; ") + fault;
  return out;
}

TEST(DeviceOptions, are_refused) {
  EXPECT_EQ(faults_of({}), "a verb is missing; there are add, list, show, set, remove, poll, usage, import and export");
  EXPECT_EQ(faults_of({"ad"}),
            "\"ad\": no such verb; there are add, list, show, set, remove, poll, usage, import and export");
  EXPECT_EQ(faults_of({"add", "r"}), "--address: it is missing");
  EXPECT_EQ(faults_of({"add", "--address", "a"}), "expected: varve device add NAME [FLAG ...]");
  EXPECT_EQ(faults_of({"add", "", "--address", "a"}), "the name may not be empty");
  EXPECT_EQ(faults_of({"add", "r", "--adress=a"}),
            "\"--adress=a\": no such flag; varve device --help lists them; --address: it is missing");
  EXPECT_EQ(faults_of({"list", "--prune"}), "\"--prune\": no such flag; varve device --help lists them");
  EXPECT_EQ(faults_of({"list", "x"}), "expected: varve device list [FLAG ...]");
  EXPECT_EQ(faults_of({"show", "r", "--json=1"}), "--json: it takes no value");
  EXPECT_EQ(faults_of({"set", "r"}), "nothing is set; varve device --help lists the flags");
  EXPECT_EQ(faults_of({"set", "r", "--tag", "x"}).substr(0, 30), "--tag: \"x\": write KEY=VALUE; n");
  EXPECT_EQ(faults_of({"set", "r", "--active", "--inactive"}), "--active: not with --inactive");
  EXPECT_EQ(faults_of({"set", "r", "--begin"}),
            "--begin: a value is missing; nothing is set; varve device --help lists the flags");
  EXPECT_EQ(faults_of({"poll", "r", "S", "T"}), "expected: varve device poll NAME [OIDSET] [FLAG ...]");
  EXPECT_EQ(faults_of({"list", "--server", "ftp://x"}).substr(0, 9), "--server:");
  EXPECT_EQ(faults_of({"list", "--url=ftp://x"}).substr(0, 6), "--url:");
}

TEST(DeviceOptions, are_read) {
  for (const char* const help : {"--help", "-h", "help"}) EXPECT_EQ(parsed({help}).options.verb, Verb::help);
  EXPECT_EQ(parsed({"add", "--help"}).options.verb, Verb::help);
  const Options add =
      parsed({"add", "a/b", "--address=h:1", "--credential", "lab", "--oidset", "A", "--oidset=B", "--tag", "k=v=w",
              "--begin", "2026-01-01", "--inactive", "--server", "http://h:1", "--tenant=t"})
          .options;
  EXPECT_EQ(
      device_json(add, nullptr),
      R"({"name":"a/b","address":"h:1","credential":"lab","oidsets":["A","B"],"active":false,"begin":"2026-01-01",)"
      R"("tags":{"k":"v=w"}})");
  EXPECT_EQ(add.server, "http://h:1");
  EXPECT_EQ(add.tenant, "t");
  EXPECT_EQ(parsed({"list", "--url=https://h", "--ca", "f"}).options.server, "https://h");
  EXPECT_EQ(parsed({"list", "--url=https://h", "--ca", "f"}).options.ca, "f");
  EXPECT_EQ(parsed({"show", "--", "-x"}).options.name, "-x");
  EXPECT_EQ(parsed({"import", "-"}).options.name, "-");
  EXPECT_EQ(parsed({"poll", "r", "S"}).options.oidset, "S");
  EXPECT_EQ(device_path("a/b ü"), "/api/v1/snmp/devices/a%2Fb%20%C3%BC");
}

protocol::json::Node tree_of(protocol::json::Reader& reader) { return *protocol::json::read_strict(reader); }

TEST(DeviceChange, keeps_tags) {
  protocol::json::Reader reader(R"({"tags":{"a":"1","b":"2"}})");
  const auto before = protocol::json::read_strict(reader);
  EXPECT_EQ(device_json(parsed({"set", "r", "--tag=b=", "--tag=c=3", "--end=none"}).options, &*before),
            R"({"end":null,"tags":{"a":"1","c":"3"}})");
}

TEST(DevicePrint, is_for_people) {
  protocol::json::Reader list(
      R"({"devices":[{"name":"ü","address":"h","active":true,"state":"up","last_poll":1700000000123,)"
      R"("interfaces":3,"oidsets":["A","B"]},{"name":"longer\u001b","address":"h","active":false,"state":"up",)"
      R"("last_poll":null,"interfaces":0,"oidsets":[]}]})");
  EXPECT_EQ(list_text(tree_of(list)),
            "NAME        ADDRESS  STATE     LAST POLL                 INTERFACES  OIDSETS\n"
            "ü           h        up        2023-11-14T22:13:20.123Z  3           A,B\n"
            "longer\\x1b  h        inactive  -                         0           \n");
  protocol::json::Reader polled(
      R"({"device":"r","sets":[{"oidset":"S","seconds":0.0020080410000000003,"error":"timed out","reports":["x"],"objects":[)"
      R"({"metric":"snmp.a","tags":{"device":"r"},"oid":"1.2","time":1,"value":7}]}]})");
  const auto tree = tree_of(polled);
  EXPECT_TRUE(has_failed(tree));
  EXPECT_EQ(polled_text(tree), "# S: 1 object in 2 ms\n# error: timed out\n# x\nsnmp.a{device=\"r\"}  7  1.2\n");
  constexpr std::pair<const char*, const char*> kTimes[] = {
      {"8.30849E-4", "0.8 ms"}, {"0.0123", "12 ms"}, {"1.5", "1.5 s"}, {"0", "0 ms"}, {"61.04", "61 s"}};
  for (const auto& [seconds, said] : kTimes) {
    const std::string answer = R"({"sets":[{"oidset":"S","seconds":)" + std::string(seconds) + R"(,"objects":[]}]})";
    protocol::json::Reader none(answer);
    EXPECT_EQ(polled_text(tree_of(none)), std::string("# S: 0 objects in ") + said + "\n");
  }
  protocol::json::Reader counts(R"({"devices":{"added":1,"changed":2,"removed":3},"credentials":["a","b"]})");
  EXPECT_EQ(counts_text(tree_of(counts), true),
            "devices: 1 added, 2 changed, 3 removed\nnothing was changed (--check)\n"
            "to be filled in, in the server's file snmp.credentials: a, b\n");
}

}  // namespace
}  // namespace varve::devices
