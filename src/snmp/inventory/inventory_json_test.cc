// SPDX-License-Identifier: Apache-2.0
#include "snmp/inventory/inventory_json.h"

#include <gtest/gtest.h>

#include "snmp/inventory/esmond_fixture.h"

namespace varve::snmp::inventory {
namespace {

// What is wrong with an import, its own faults and those of what it makes, "; " between them.
std::string import_onto(Inventory& inventory, std::string_view json, bool prune = false) {
  protocol::json::Reader reader(json);
  const auto root = protocol::json::read_strict(reader);
  if (!root) return root.error().message;
  Faults faults;
  read_import(*root, prune, inventory, faults);
  if (faults.empty()) faults = faults_of(inventory);
  std::string out;
  for (const std::string& fault : faults) out += (out.empty() ? "" : "; ") + fault;
  return out;
}

std::string faults_in(const std::string& json) {
  Inventory inventory;
  return import_onto(inventory, json);
}
std::string of_device(const std::string& fields) { return faults_in(R"({"devices":{"r":{)" + fields + "}}}"); }
std::string of_oidset(const std::string& fields) { return faults_in(R"({"oidsets":{"S":{)" + fields + "}}}"); }
std::string of_layout(const std::string& fields) {
  return faults_in(R"({"correlators":{"C":{"layouts":[{)" + fields + "}]}}}");
}

TEST(Import, names_faults_by_place) {
  EXPECT_EQ(faults_in("[]"), "the body: a list is not an object {…}");
  EXPECT_EQ(faults_in(R"({"device":{}})"), "device: no such field; there are devices, oidsets, correlators");
  EXPECT_EQ(faults_in(R"({"devices":[]})"), "devices: a list is not an object {…}");
  EXPECT_EQ(faults_in(R"({"devices":{"r":7}})"), "devices.r: 7 is not an object {…}");
  EXPECT_EQ(of_device(""), "devices.r.address: it is missing");
  EXPECT_EQ(of_device(R"("adress":"a")"),
            "devices.r.adress: no such field; there are address, credential, oidsets, active, begin, end, tags, name, "
            "state, last_poll, last_error, left_out, unknown_increases, interfaces");
  EXPECT_EQ(of_device(R"("address":"a b")"),
            "devices.r.address: \"a b\" is not an address; write HOST or HOST:PORT, [ADDRESS]:PORT for IPv6");
  EXPECT_EQ(of_device(R"("address":"a:0")"), "devices.r.address: \"0\" is not a port; allowed is 1 to 65535");
  EXPECT_EQ(of_device(R"("address":"a","oidsets":["Nope","Errors","Errors"])"),
            "devices.r.oidsets[2]: \"Errors\" is named twice; devices.r.oidsets[0]: there is no oidset \"Nope\"");
  EXPECT_EQ(of_device(R"("address":"a","active":1)"), "devices.r.active: 1 is not true or false");
  EXPECT_EQ(of_device(R"("address":"a","begin":"soon")"),
            "devices.r.begin: \"soon\" is not a time: milliseconds since 1970, or 2026-11-25T12:00:00Z");
  EXPECT_EQ(of_device(R"("address":"a","begin":2,"end":1)"), "devices.r.end: it is before begin");
  EXPECT_EQ(of_device(R"("address":"a","tags":{"k":1})"), "devices.r.tags.k: 1 is not a text");
  EXPECT_EQ(faults_in(R"({"devices":{"":{"address":"a"}}})"), "devices..name: a name may not be empty");
  EXPECT_EQ(faults_in(R"({"devices":{")" + std::string(256, 'n') + R"(":{"address":"a"}}})").substr(0, 8), "devices.");
  EXPECT_EQ(faults_in(R"({"devices":{"a\u0000b":{"address":"a"}}})").find("NUL") == std::string::npos, false);

  EXPECT_EQ(of_oidset(""), "oidsets.S.frequency: it is missing; oidsets.S.objects: there are none");
  const std::string scalar = R"("objects":[{"name":"u","oid":"1.3.6.1.2.1.1.3.0","type":"TimeTicks"}])";
  EXPECT_EQ(of_oidset(R"("frequency":"30s",)" + scalar), "");
  EXPECT_EQ(of_oidset(R"("frequency":"500ms",)" + scalar),
            "oidsets.S.frequency: allowed is 1s to 1d, in whole seconds");
  EXPECT_EQ(of_oidset(R"("frequency":"often",)" + scalar),
            "oidsets.S.frequency: \"often\" is not a duration such as 30s, 5m or 1h");
  EXPECT_EQ(of_oidset(R"("frequency":30,"aggregates":["1h",30],)" + scalar),
            "oidsets.S.aggregates[1]: it is not longer than the one before, or than the frequency");
  EXPECT_EQ(of_oidset(R"("frequency":30,"correlator":"Nope",)" + scalar),
            "oidsets.S.correlator: there is no correlator \"Nope\"");
  EXPECT_EQ(of_oidset(R"("frequency":30,"objects":[{"name":"u","oid":"1.3.x","type":"Counter"}])"),
            "oidsets.S.objects[0].oid: \"1.3.x\" is not an oid; write numbers with dots: 1.3.6.1.2.1.1.3.0");
  EXPECT_EQ(of_oidset(R"("frequency":30,"objects":[{"name":"u","oid":"1.3.6.1.0"}])"),
            "oidsets.S.objects[0].type: it is missing");
  EXPECT_EQ(
      of_oidset(R"("frequency":30,"objects":[{"name":"u","oid":"1.3.6.1.0","type":"Counter16"}])"),
      "oidsets.S.objects[0].type: \"Counter16\" is not a type; allowed is Counter32, Counter64, Gauge32, TimeTicks, "
      "Integer32, IpAddress, DisplayString, PhysAddress or ObjectIdentifier");
  EXPECT_EQ(of_oidset(R"("frequency":30,"objects":[{"name":"u","oid":"1.3.6.1.2","type":"Counter32"}])"),
            "oidsets.S.objects[0].oid: 1.3.6.1.2 is a column of a table, so the set needs a correlator; a scalar ends "
            "in .0");
  EXPECT_EQ(of_oidset(R"("frequency":30,"objects":[{"name":"u","oid":"1.3.6.0","type":"Gauge32"},)"
                      R"({"name":"u","oid":"1.3.7.0","type":"Gauge32"}])"),
            "oidsets.S.objects[1].name: \"u\" is objects[0], too");

  EXPECT_EQ(of_layout(""),
            "correlators.C.layouts[0].index: it is missing; correlators.C.layouts[0].tags: there are none");
  const std::string index = R"("index":[{"name":"i"}],)";
  EXPECT_EQ(of_layout(index + R"("tags":[{"name":"t","value":"{i}"}])"), "");
  EXPECT_EQ(of_layout(index + R"("tags":[{"name":"t","value":"{j}"}])"),
            "correlators.C.layouts[0].tags[0].value: \"j\" is neither a part of the index nor a column before it");
  EXPECT_EQ(of_layout(index + R"("tags":[{"name":"device","value":"{i}"}])"),
            "correlators.C.layouts[0].tags[0].name: every sample has this tag already");
  EXPECT_EQ(
      of_layout(index + R"("columns":[{"name":"c","oid":"1.3.6","index":["c"]}],"tags":[{"name":"t","value":"{i}"}])"),
      "correlators.C.layouts[0].columns[0].index[0]: \"c\" is neither a part of the index nor a column before it");
  EXPECT_EQ(of_layout(R"("index":[{"name":"i","kind":"rest"},{"name":"j"}],"tags":[{"name":"t","value":"{i}"}])"),
            "correlators.C.layouts[0].index[0].kind: rest takes all that is left, so it must be the last");
  EXPECT_EQ(of_layout(index + R"("tags":[{"name":"t","value":"{i}"}],"where":[{"column":"i"}])"),
            "correlators.C.layouts[0].where[0]: either \"is\" or \"is_not\" says what the text must be");
}

TEST(Import, adds_changes_and_prunes) {
  Inventory inventory;
  ASSERT_EQ(import_onto(inventory, R"({"devices":{"a_1":{"address":"10.0.0.1","tags":{"site":"x"}},)"
                                   R"("b/2":{"address":"[::1]:1161","oidsets":[],"begin":"2026-01-01"}}})"),
            "");
  const Device& a = inventory.devices["a_1"];
  EXPECT_EQ(a.oidsets, (std::vector<std::string>{"FastPollHC", "Errors", "IfRefPoll"}));
  EXPECT_EQ(a.credential, "default");
  EXPECT_EQ(inventory.devices["b/2"].begin, 1'767'225'600'000);
  // What is not named stays; null is the default.
  ASSERT_EQ(
      import_onto(inventory, R"({"devices":{"a_1":{"credential":"lab","oidsets":["FastPoll"]},"b/2":{"begin":null}}})"),
      "");
  EXPECT_EQ(a.address, "10.0.0.1");
  EXPECT_EQ(a.credential, "lab");
  EXPECT_EQ(a.oidsets, std::vector<std::string>{"FastPoll"});
  EXPECT_EQ(a.tags.at("site"), "x");
  EXPECT_EQ(inventory.devices["b/2"].begin, std::nullopt);
  // A built-in set that is changed becomes the tenant's own; changed back, it is the built-in one again.
  ASSERT_EQ(import_onto(inventory, R"({"oidsets":{"FastPollHC":{"frequency":"10s"}}})"), "");
  EXPECT_EQ(inventory.oidsets["FastPollHC"].objects.size(), 3U);
  ASSERT_EQ(import_onto(inventory, R"({"oidsets":{"FastPollHC":{"frequency":"30s"}}})"), "");
  EXPECT_TRUE(inventory.oidsets.empty());
  // Only the parts that the file has are pruned.
  ASSERT_EQ(import_onto(inventory, R"({"oidsets":{"FastPoll":{"frequency":"10s"}}})"), "");
  ASSERT_EQ(import_onto(inventory, R"({"devices":{"b/2":{}}})", true), "");
  EXPECT_EQ(inventory.devices.size(), 1U);
  EXPECT_EQ(inventory.oidsets.size(), 1U);
}

TEST(Export, is_read_back) {
  Inventory inventory = built_in();
  Device& device = inventory.devices["ü \"x\""];
  device = {.name = "ü \"x\"",
            .address = "h:1",
            .credential = "c",
            .oidsets = {"FastPoll"},
            .active = false,
            .begin = 5,
            .end = 1'700'000'000'000,
            .tags = {{"a", ""}, {"b", "c"}}};
  const std::string json = to_json(inventory);
  Inventory again = inventory;
  ASSERT_EQ(import_onto(again, json, true), "");
  EXPECT_EQ(again.devices, inventory.devices);
  EXPECT_TRUE(again.oidsets.empty());  // they are the built-in ones
  Faults faults;
  protocol::json::Reader reader(json);
  const auto root = *protocol::json::read_strict(reader);
  for (const auto& [name, oidset] : built_in().oidsets) {
    Oidset read{.name = name};
    read_onto(*root.find("oidsets")->find(name), "", read, faults);
    EXPECT_EQ(read, oidset) << name;
  }
  for (const auto& [name, correlator] : built_in().correlators) {
    Correlator read{.name = name};
    read_onto(*root.find("correlators")->find(name), "", read, faults);
    EXPECT_EQ(read, correlator) << name;
  }
  EXPECT_EQ(faults, Faults());
}

TEST(Fixture, of_esmond_is_taken) {
  const std::string json = R"([
    {"pk":1,"model":"api.poller","fields":{"name":"CorrelatedPoller"}},
    {"pk":1,"model":"api.oid","fields":{"aggregate":false,"name":"sysUpTime","oid_type":5}},
    {"pk":4,"model":"api.oid","fields":{"aggregate":true,"name":"IF-MIB::ifHCInOctets","oid_type":2,"endpoint_alias":"in"}},
    {"pk":5,"model":"api.oid","fields":{"aggregate":true,"name":"ifHCOutOctets","oid_type":2,"endpoint_alias":"out"}},
    {"pk":2,"model":"api.oidset","fields":{"poller":1,"frequency":30,"name":"FastPollHC",
       "poller_args":"chunk_mapper=x correlator=IfDescrCorrelator aggregates=3600,86400"}},
    {"pk":90,"model":"api.oidset","fields":{"poller":1,"frequency":10,"name":"Mine","poller_args":"correlator=IfDescrCorrelator"}},
    {"pk":1,"model":"api.oidsetmember","fields":{"oid":5,"oid_set":2}},
    {"pk":2,"model":"api.oidsetmember","fields":{"oid":4,"oid_set":2}},
    {"pk":3,"model":"api.oidsetmember","fields":{"oid":1,"oid_set":2}},
    {"pk":4,"model":"api.oidsetmember","fields":{"oid":4,"oid_set":90}},
    {"pk":1000,"model":"api.device","fields":{"active":true,"end_time":"9999-12-31T23:59:59.999","name":"rtr_d",
       "community":"secret1","begin_time":"2011-11-14T02:54:14.503"}},
    {"pk":1001,"model":"api.device","fields":{"active":false,"end_time":"2012-01-01T00:00:00Z","name":"rtr_e","community":"secret1"}},
    {"pk":1002,"model":"api.device","fields":{"name":"rtr_f","community":"secret2"}},
    {"pk":1,"model":"api.deviceoidsetmap","fields":{"device":1000,"oid_set":2}},
    {"pk":2,"model":"api.deviceoidsetmap","fields":{"device":1000,"oid_set":7}},
    {"pk":3,"model":"api.deviceoidsetmap","fields":{"device":1000,"oid_set":2}},
    {"pk":4,"model":"api.deviceoidsetmap","fields":{"device":1001,"oid_set":90}},
    {"pk":1,"model":"api.devicetag","fields":{"name":"core"}},
    {"pk":1,"model":"api.devicetagmap","fields":{"device":1000,"device_tag":1}}])";
  protocol::json::Reader reader(json);
  const auto root = protocol::json::read_strict(reader);
  ASSERT_TRUE(root);
  Inventory inventory;
  std::vector<std::string> credentials;
  Faults faults;
  read_fixture(*root, false, inventory, credentials, faults);
  EXPECT_EQ(faults, Faults());
  EXPECT_EQ(faults_of(inventory), Faults());
  EXPECT_EQ(credentials, (std::vector<std::string>{"community-of-rtr_d", "community-of-rtr_f"}));
  EXPECT_EQ(to_json(inventory).find("secret"), std::string::npos);
  // FastPollHC is the built-in one, Errors is known by its key.
  ASSERT_EQ(inventory.oidsets.size(), 1U);
  EXPECT_EQ(inventory.oidsets["Mine"].correlator, "ifName");
  EXPECT_EQ(inventory.oidsets["Mine"].frequency_ms, 10'000);
  const Device& d = inventory.devices["rtr_d"];
  EXPECT_EQ(d, (Device{.name = "rtr_d",
                       .address = "rtr_d",
                       .credential = "community-of-rtr_d",
                       .oidsets = {"FastPollHC", "Errors"},
                       .active = true,
                       .begin = 1'321'239'254'503,
                       .end = {},
                       .tags = {{"core", ""}}}));
  EXPECT_EQ(inventory.devices["rtr_e"].credential, "community-of-rtr_d");
  EXPECT_EQ(inventory.devices["rtr_e"].end, 1'325'376'000'000);
  EXPECT_FALSE(inventory.devices["rtr_e"].active);
}

// What does not fit into milliseconds is no width either.
TEST(Fixture, seconds_that_are_too_many_are_named) {
  for (const std::string seconds : {"4636455816377926832", "-4636455816377926832", "99999999999999999999", "x", ""}) {
    const std::string json = R"([{"pk":1,"model":"api.oidset","fields":{"frequency":30,"name":"S",
        "poller_args":"correlator=IfDescrCorrelator aggregates=3600,)" +
                             seconds + R"(,86400"}}])";
    protocol::json::Reader reader(json);
    const auto root = protocol::json::read_strict(reader);
    ASSERT_TRUE(root);
    Inventory inventory;
    std::vector<std::string> credentials;
    Faults faults;
    read_fixture(*root, false, inventory, credentials, faults);
    EXPECT_EQ(faults, Faults{"oidsets.S.aggregates: \"" + seconds + "\" is not a number of seconds"});
  }
}

}  // namespace
}  // namespace varve::snmp::inventory
