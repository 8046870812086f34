// SPDX-License-Identifier: Apache-2.0
#include "api/snmp/inventory.h"

#include <gtest/gtest.h>

#include "api/testing/texts_api.h"

namespace varve::api {
namespace {

using snmp::inventory::DeviceState;
using snmp::inventory::HistoryStore;
using snmp::inventory::InventoryStore;
using snmp::inventory::PolledSet;
using snmp::inventory::StatusBoard;

class SnmpInventory : public testing::TextsApi {
 protected:
  SnmpInventory() { add_snmp_inventory(router_, {inventory_, history_, board_, {}, pool_, clock_}); }

  std::string did(Method method, const std::string& path, std::string_view body = "") {
    const Response response = ask(method, "/api/v1/snmp/" + path, body);
    EXPECT_TRUE(response.body.empty() || response.body.ends_with('\n')) << path;
    return std::to_string(response.status) + (response.body.empty() ? "" : " " + line_of(response));
  }
  std::string counts(const std::string& parameter, std::string_view body) {
    query_.clear();
    if (!parameter.empty()) query_ = {{parameter, "1"}};
    const Response response = ask(Method::post, "/api/v1/snmp/import", body);
    query_.clear();
    return std::to_string(response.status) + " " + line_of(response);
  }

  ManualClock clock_;
  InventoryStore inventory_{texts_, pool_, clock_};
  HistoryStore history_{texts_};
  StatusBoard board_{nullptr};
};

constexpr const char* kDevice = R"({"name":"a/b","address":"10.0.0.1:161","oidsets":["FastPollHC"]})";
const std::string kShown =
    R"({"name":"a/b","address":"10.0.0.1:161","credential":"default","oidsets":["FastPollHC"],"active":true,)"
    R"("begin":null,"end":null,"tags":{},"state":"unknown","last_poll":null,"last_error":"","interfaces":0,"left_out":[],)"
    R"("unknown_increases":{"gap":0,"restart":0,"discontinuity":0,"fell":0,"speed":0}})";

TEST_F(SnmpInventory, without_a_file_of_credentials_who_adds_a_device_is_told) {
  const snmp::inventory::KnownCredentials none{};
  InventoryStore inventory(texts_, pool_, clock_, &none);
  Router router;
  const SnmpContext context{inventory, history_, board_, [](const auto&...) { return fail(Code::io, ""); },
                            pool_,     clock_};
  add_snmp_inventory(router, context);
  std::swap(router, router_);
  EXPECT_NE(did(Method::post, "devices", kDevice)
                .find(R"("last_error":"there is no credential \"default\" for this tenant: snmp.credentials, )"
                      R"(their file, is not set")"),
            std::string::npos);
  std::swap(router, router_);
}

TEST_F(SnmpInventory, devices_come_and_go) {
  EXPECT_EQ(did(Method::get, "devices"), R"(200 {"devices":[]})");
  EXPECT_EQ(did(Method::post, "devices", kDevice), "201 " + kShown);
  EXPECT_EQ(did(Method::post, "devices", kDevice).substr(0, 3), "409");
  EXPECT_EQ(did(Method::get, "devices/a%2Fb"), "200 " + kShown);
  EXPECT_EQ(did(Method::get, "devices"), R"(200 {"devices":[)" + kShown + "]}");
  board_.report("t", "a/b",
                {DeviceState::down, 1'700'000'000'000, "timed out", 48, {"FastPollHC: one row"}, {0, 2, 0, 0, 7}});
  std::string changed = kShown;
  changed.replace(changed.find(R"("active":true)"), 13, R"("active":false)");
  changed.replace(
      changed.find(R"("state")"), std::string::npos,
      R"("state":"down","last_poll":1700000000000,"last_error":"timed out","interfaces":48,"left_out":["FastPollHC: one row"],)"
      R"("unknown_increases":{"gap":0,"restart":2,"discontinuity":0,"fell":0,"speed":7}})");
  EXPECT_EQ(did(Method::put, "devices/a%2Fb", R"({"active":false})"), "200 " + changed);
  // What is shown can be put back.
  EXPECT_EQ(did(Method::put, "devices/a%2Fb", changed), "200 " + changed);
  EXPECT_EQ(did(Method::put, "devices/new", R"({"address":"r"})").substr(0, 3), "201");
  EXPECT_EQ(did(Method::delete_, "devices/new"), "204");
  EXPECT_EQ(did(Method::delete_, "devices/new"),
            R"(404 {"error":"there is no device \"new\"","errors":["there is no device \"new\""]})");
  EXPECT_EQ(did(Method::get, "devices/new").substr(0, 3), "404");
  tenant_ = "other";
  EXPECT_EQ(did(Method::get, "devices"), R"(200 {"devices":[]})");
  EXPECT_EQ(did(Method::get, "devices/a%2Fb").substr(0, 3), "404");
  tenant_ = "varve";
  EXPECT_EQ(did(Method::post, "devices", kDevice).substr(0, 3), "403");
}

TEST_F(SnmpInventory, faults_change_nothing) {
  EXPECT_EQ(did(Method::post, "devices", "{"), did(Method::post, "devices", "{"));
  EXPECT_EQ(did(Method::post, "devices", "{").substr(0, 3), "400");
  EXPECT_EQ(did(Method::post, "devices", "{}"),
            R"(400 {"error":"name: a text is missing","errors":["name: a text is missing"]})");
  EXPECT_EQ(did(Method::put, "devices/x", R"({"address":"a b","oidsets":["no"]})").substr(0, 3), "400");
  const std::string faults =
      counts("", R"({"devices":{"x":{"address":"ok"},"y":{"oidsets":["no"]}},"oidsets":{"S":{}}})");
  EXPECT_EQ(faults,
            "400 {\"error\":\"oidsets.S.frequency: it is missing; oidsets.S.objects: there are none; "
            "devices.y.address: it is missing; devices.y.oidsets[0]: there is no oidset \\\"no\\\"\","
            "\"errors\":[\"oidsets.S.frequency: it is missing\",\"oidsets.S.objects: there are none\","
            "\"devices.y.address: it is missing\",\"devices.y.oidsets[0]: there is no oidset \\\"no\\\"\"]}");
  EXPECT_EQ(did(Method::get, "export"), R"(200 {"correlators":{},"oidsets":{},"devices":{}})");
}

TEST_F(SnmpInventory, is_imported) {
  const std::string body =
      R"({"oidsets":{"Mine":{"frequency":"30s","correlator":"ifName","aggregates":["1h","1d"],"objects":[)"
      R"({"name":"ifHCInOctets","oid":"1.3.6.1.2.1.31.1.1.1.6","type":"Counter64","aggregate":true,"alias":"in"}]}},)"
      R"("devices":{"r":{"address":"10.0.0.1:161","credential":"lab","oidsets":["Mine"]},"s":{"address":"s"}}})";
  const std::string added = R"(200 {"devices":{"added":2,"changed":0,"removed":0},"oidsets":{"added":1,"changed":0,)"
                            R"("removed":0},"correlators":{"added":0,"changed":0,"removed":0}})";
  EXPECT_EQ(counts("check", body), added);
  EXPECT_EQ(did(Method::get, "devices"), R"(200 {"devices":[]})");
  EXPECT_EQ(counts("", body), added);
  EXPECT_NE(counts("", body).find(R"("devices":{"added":0,"changed":0,"removed":0})"), std::string::npos);
  EXPECT_NE(counts("prune", R"({"devices":{"r":{"tags":{"a":"b"}}}})")
                .find(R"("devices":{"added":0,"changed":1,"removed":1},"oidsets":{"added":0,"changed":0,"removed":0})"),
            std::string::npos);
  // A set that is in use stays.
  EXPECT_EQ(did(Method::delete_, "oidsets/Mine").substr(0, 3), "400");
  // Another replica has it all, and what is exported is the same.
  InventoryStore other(texts_, pool_, clock_);
  ASSERT_TRUE(other.refresh());
  EXPECT_EQ(*other.of("t"), *inventory_.of("t"));
  const std::string exported = did(Method::get, "export").substr(4);
  EXPECT_NE(counts("prune", exported).find(R"("devices":{"added":0,"changed":0,"removed":0})"), std::string::npos);
  // A change over there is seen here.
  ASSERT_TRUE(other.change("t", false, [](auto& inventory, auto&) { inventory.devices.erase("r"); }));
  EXPECT_EQ(did(Method::get, "devices"), R"(200 {"devices":[]})");
}

TEST_F(SnmpInventory, takes_fixtures_of_esmond) {
  EXPECT_EQ(counts("", R"([{"pk":1,"model":"api.device","fields":{"name":"r","community":"hush"}}])"),
            R"(200 {"devices":{"added":1,"changed":0,"removed":0},"oidsets":{"added":0,"changed":0,"removed":0},)"
            R"("correlators":{"added":0,"changed":0,"removed":0},"credentials":["community-of-r"]})");
  EXPECT_EQ(did(Method::get, "export").find("hush"), std::string::npos);
}

TEST_F(SnmpInventory, has_what_is_built_in) {
  const std::string sets = did(Method::get, "oidsets");
  for (const char* const name : {"FastPoll", "FastPollHC", "ALUSAPPoll", "SentryOutletRefPoll"}) {
    EXPECT_NE(sets.find("{\"name\":\"" + std::string(name) + "\",\"built_in\":true,"), std::string::npos) << name;
  }
  EXPECT_EQ(did(Method::delete_, "oidsets/FastPoll").substr(0, 3), "409");
  EXPECT_EQ(did(Method::put, "oidsets/FastPoll", R"({"frequency":"10s"})").substr(0, 57),
            R"(201 {"name":"FastPoll","built_in":false,"frequency":"10s")");
  EXPECT_EQ(did(Method::delete_, "oidsets/FastPoll"), "204");
  EXPECT_EQ(did(Method::get, "oidsets/FastPoll").substr(0, 56),
            R"(200 {"name":"FastPoll","built_in":true,"frequency":"30s")");
  EXPECT_EQ(did(Method::get, "correlators/ifName"),
            R"(200 {"name":"ifName","built_in":true,"layouts":[{"index":[{"name":"ifIndex","kind":"number"}],)"
            R"("columns":[{"name":"ifName","oid":"1.3.6.1.2.1.31.1.1.1.1","index":["ifIndex"]}],)"
            R"("tags":[{"name":"interface","value":"{ifName}"}],"where":[]}]})");
}

TEST_F(SnmpInventory, a_poll_shows_what_it_would_store) {
  did(Method::post, "devices", kDevice);
  EXPECT_EQ(did(Method::post, "devices/none/poll").substr(0, 3), "404");
  EXPECT_EQ(did(Method::post, "devices/a%2Fb/poll"),
            R"(503 {"error":"this process does not poll devices; ask one whose roles have poll",)"
            R"("errors":["this process does not poll devices; ask one whose roles have poll"]})");
  Router polling;
  std::swap(router_, polling);
  add_snmp_inventory(
      router_,
      {inventory_, history_, board_,
       [](const auto&, const auto&, const auto& device, const std::string& oidset) -> Result<std::vector<PolledSet>> {
         PolledSet set;
         set.oidset = oidset;
         set.seconds = 0.5;
         set.reports = {"ifIndex 7 has no name"};
         set.objects.push_back({"snmp.x", {{"device", device.name}}, "1.2.3", 5, ~std::uint64_t{0}});
         return std::vector{set};
       },
       pool_, clock_});
  query_ = {{"oidset", "Nope"}};
  EXPECT_EQ(did(Method::post, "devices/a%2Fb/poll").substr(0, 3), "404");
  query_ = {{"oidset", "FastPollHC"}};
  EXPECT_EQ(
      did(Method::post, "devices/a%2Fb/poll"),
      R"(200 {"device":"a/b","sets":[{"oidset":"FastPollHC","seconds":0.5,"error":"",)"
      R"("reports":["ifIndex 7 has no name"],"objects":[{"metric":"snmp.x","tags":{"device":"a/b"},"oid":"1.2.3",)"
      R"("time":5,"value":18446744073709551615}]}]})");
}

}  // namespace
}  // namespace varve::api
