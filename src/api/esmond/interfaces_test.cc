// SPDX-License-Identifier: Apache-2.0
// Histories of interfaces and outlets, in both versions, with a key and without one.
#include "api/esmond/interfaces.h"

#include <gtest/gtest.h>

#include "api/esmond/data.h"
#include "api/esmond/outlets.h"
#include "api/esmond/timeseries.h"
#include "base/task_pool.h"
#include "http/url.h"
#include "protocol/json/tree.h"
#include "storage/testing/memory_store.h"
#include "storage/testing/memory_texts.h"

namespace varve::api::esmond {
namespace {

using protocol::json::Node;
using snmp::inventory::Faults;
using snmp::inventory::HistoryKind;
using snmp::inventory::HistoryRow;
using snmp::inventory::Inventory;

constexpr model::Timestamp kDay = model::kDayMs;
constexpr model::Timestamp kJune = 1370044800000;  // 2013-06-01

class EsmondHistory : public ::testing::Test {
 protected:
  void add_device(const std::string& name, std::vector<std::string> oidsets) {
    const auto edited = inventory_.change("t", false, [&](Inventory& to, Faults&) {
      to.devices[name] = {.name = name, .address = "h", .oidsets = std::move(oidsets)};
    });
    ASSERT_TRUE(edited && edited->faults.empty());
  }
  // What a walk saw: names, each with an ifAlias (an outletName).
  void walk(model::Timestamp time, const std::vector<std::pair<std::string, std::string>>& seen,
            HistoryKind kind = HistoryKind::interfaces) {
    std::vector<HistoryRow> rows;
    for (const auto& [name, text] : seen) {
      HistoryRow& row = rows.emplace_back();
      row.name = name;
      row.attributes.resize(attributes_of(kind).size());
      row.attributes[kind == HistoryKind::interfaces ? 2 : 0] = text;
    }
    ASSERT_TRUE(history_.record_walk("t", "rtr_b", kind, time, true, rows));
  }
  Response ask(Work work, const std::string& target) {
    request_ = {};
    request_.tenant = "t";
    EXPECT_TRUE(http::parse_target("/esmond" + target, request_.path, request_.query, &request_.name_slashes));
    // As a route /esmond/{version}/RESOURCE/{path} has it.
    std::size_t from = 0;
    for (int slash = 0; slash < 4 && from != std::string::npos; ++slash)
      from = request_.path.find('/', from + (slash > 0));
    if (from != std::string::npos) request_.captures = {{"path", from + 1, request_.path.size() - from - 1}};
    Call call{parts_, request_, target.starts_with("/v1/"), *names_of_path(request_), is_known_};
    auto response = work(call);
    return response ? std::move(*response) : Response::text(status_of(response.error().code), response.error().message);
  }
  // Of each child two members: "xe-1/0/0:a xe-2/0/0:b".
  std::string children(Work work, const std::string& target, const char* name, const char* text) {
    const std::string body = ask(work, target).body + std::string(64, '\0');
    protocol::json::Reader reader(std::string_view(body).substr(0, body.size() - 64));
    const auto root = protocol::json::read_strict(reader);
    const Node* const list = root ? root->find("children") : nullptr;
    if (list == nullptr) return body;
    std::string out;
    for (const Node& child : list->children) {
      out.append(out.empty() ? "" : " ").append(child.find(name)->text).append(":").append(child.find(text)->text);
    }
    return out;
  }
  std::string interfaces(const std::string& target) {
    return children(list_interfaces_of_device, "/v2/device/rtr_b/interface/" + target, "ifName", "ifAlias");
  }

  ManualClock clock_{kJune + 30 * kDay};
  storage::testing::MemoryStore store_;
  storage::testing::MemoryTexts texts_;
  TaskPool pool_{1};
  snmp::inventory::InventoryStore inventory_{texts_, pool_, clock_};
  snmp::inventory::HistoryStore history_{texts_};
  query::Engine engine_{store_, store_, clock_, {}};
  write::Writer writer_{store_, store_, {}};
  EsmondKeys keys_;
  const Parts parts_{writer_, engine_, inventory_, history_, keys_};
  Request request_;
  bool is_known_ = true;
};

TEST_F(EsmondHistory, RowsOfARange) {
  add_device("rtr_b", {"FastPollHC", "Errors"});
  walk(kJune, {{"xe-1/0/0", "one"}, {"xe-2/0/0", "two"}});
  walk(kJune + 4 * kDay, {{"xe-1/0/0", "one"}, {"xe-2/0/0", "other"}});
  walk(kJune + 7 * kDay, {{"xe-1/0/0", "one"}});
  const auto at = [](int day) { return std::to_string((kJune + day * kDay) / 1000); };
  EXPECT_EQ(interfaces("?begin=" + at(0) + "&end=" + at(14)), "xe-1/0/0:one xe-2/0/0:two xe-2/0/0:other");
  EXPECT_EQ(interfaces("?begin=" + at(8) + "&end=" + at(14)), "xe-1/0/0:one");
  EXPECT_EQ(interfaces(""), "xe-1/0/0:one") << "now";
  EXPECT_EQ(interfaces("?begin=0&end=0"), "");
  EXPECT_EQ(interfaces("?begin=0&ifAlias__contains=t"), "xe-2/0/0:two xe-2/0/0:other");
  EXPECT_EQ(interfaces("?begin=0&limit=1&offset=1"), "xe-2/0/0:two");
  EXPECT_TRUE(ask(list_interfaces_of_device, "/v2/device/rtr_b/interface/?begin=0&limit=1&offset=1&ifName__contains=x")
                  .body.contains(R"("meta":{"limit":1,"next":"/v2/device/rtr_b/interface/?limit=1&offset=2&begin=0)"
                                 R"(&ifName__contains=x","offset":1,"previous":"/v2/device/rtr_b/interface/?limit=1)"
                                 R"(&offset=0&begin=0&ifName__contains=x","total_count":3})"));
  // The newest row that was in the range.
  const std::string detail = "/v2/device/rtr_b/interface/xe-2@2F0@2f0";
  EXPECT_TRUE(ask(show_interface, detail + "?begin=0").body.contains(R"("ifAlias":"other")"));
  EXPECT_TRUE(ask(show_interface, detail + "?begin=0&end=" + at(3)).body.contains(R"("ifAlias":"two")"));
  EXPECT_EQ(ask(show_interface, detail).status, 400) << "it is gone";
}

TEST_F(EsmondHistory, Shapes) {
  add_device("rtr_b", {"FastPollHC", "Errors"});
  walk(kJune, {{"xe-1/0/0", "one"}});
  const std::string v2 = ask(show_interface, "/v2/device/rtr_b/interface/xe-1%2F0%2F0").body;
  const std::string id = v2.substr(v2.find("\"id\":") + 5, v2.find(",\"ifAdmin") - v2.find("\"id\":") - 5);
  const std::string middle =
      R"("id":)" + id +
      R"(,"ifAdminStatus":null,"ifAlias":"one","ifDescr":null,"ifHighSpeed":null,"ifIndex":null,"ifMtu":null,)"
      R"("ifName":"xe-1/0/0","ifOperStatus":null,"ifPhysAddress":null,"ifSpeed":null,"ifType":null,"ipAddr":null,)"
      R"("leaf":false,)";
  const auto children_of = [](const std::string& root) {
    std::string out;
    for (const char* name : {"in", "out", "error/in", "error/out", "discard/in", "discard/out"}) {
      out += (out.empty() ? "" : ",") + std::string(R"({"leaf":true,"name":")") + name + R"(","uri":"/)" + root +
             "/device/rtr_b/interface/xe-1@2F0@2F0/" + name + "\"}";
    }
    return out;
  };
  EXPECT_EQ(v2, R"({"begin_time":1370044800,"children":[)" + children_of("v2") +
                    R"(],"device":"rtr_b","device_uri":"/v2/device/rtr_b/","end_time":253402127999,)" + middle +
                    R"("resource_uri":"/v2/device/rtr_b/interface/xe-1@2F0@2F0",)"
                    R"("uri":"/v2/device/rtr_b/interface/xe-1@2F0@2F0"})");
  EXPECT_EQ(ask(show_interface, "/v1/device/rtr_b/interface/xe-1@2F0@2F0/").body,
            R"({"begin_time":"2013-06-01T00:00:00","children":[)" + children_of("v1") +
                R"(],"device":"/v1/device/rtr_b/","device_uri":"/v1/device/rtr_b/",)"
                R"("end_time":"9999-12-29T23:59:59.999999",)" +
                middle +
                R"("resource_uri":"/v1/device/rtr_b/interface/xe-1@2F0@2F0",)"
                R"("uri":"/v1/device/rtr_b/interface/xe-1@2F0@2F0"})");
}

TEST_F(EsmondHistory, HiddenOnes) {
  add_device("rtr_b", {"FastPollHC"});
  walk(kJune, {{"a", "plain"}, {"b", "of nobody :hide:"}});
  EXPECT_EQ(interfaces(""), "a:plain b:of nobody :hide:");
  EXPECT_EQ(ask(show_data, "/v2/device/rtr_b/interface/b/in").status, 200);
  const auto series_of = [&](const std::string& interface) {
    store_.put("t", "snmp.ifHCInOctets", {{"device", "rtr_b"}, {"interface", interface}, {"oidset", "FastPollHC"}},
               kJune, model::Value::of_long(1));
    return ask(show_series, "/v2/timeseries/RawData/snmp/rtr_b/FastPollHC/ifHCInOctets/" + interface + "/30000").status;
  };
  EXPECT_EQ(series_of("b"), 200);
  is_known_ = false;
  EXPECT_EQ(series_of("a"), 200);
  EXPECT_EQ(series_of("b"), 400);
  EXPECT_EQ(interfaces(""), "a:plain");
  EXPECT_EQ(ask(show_interface, "/v2/device/rtr_b/interface/a").status, 200);
  EXPECT_EQ(ask(show_interface, "/v2/device/rtr_b/interface/b").status, 404);
  EXPECT_EQ(ask(show_data, "/v2/device/rtr_b/interface/a/in").status, 200);
  EXPECT_EQ(ask(show_data, "/v2/device/rtr_b/interface/b/in").status, 400);
}

TEST_F(EsmondHistory, Outlets) {
  add_device("rtr_b", {"SentryPoll", "SentryOutletRefPoll"});
  add_device("router", {"FastPollHC"});
  walk(kJune, {{"AA1", "rtr_a:PEM1"}, {"AA2", "rtr_c:PEM1"}}, HistoryKind::outlets);
  EXPECT_TRUE(
      ask(list_pdus, "/v1/pdu/")
          .body.starts_with(
              R"([{"active":true,"begin_time":0,"children":[{"leaf":false,"name":"outlet","uri":"/v1/pdu/rtr_b/outlet"}])"));
  EXPECT_FALSE(ask(list_pdus, "/v1/pdu/").body.contains("router"));
  const auto outlets = [&](Work work, const std::string& target) {
    return children(work, target, "outletID", "outletName");
  };
  EXPECT_EQ(outlets(below_pdus, "/v1/pdu/rtr_b/outlet/"), "AA1:rtr_a:PEM1 AA2:rtr_c:PEM1");
  EXPECT_EQ(outlets(list_outlets, "/v2/outlet/?outletName__contains=rtr_a"), "AA1:rtr_a:PEM1");
  EXPECT_TRUE(ask(below_pdus, "/v1/pdu/rtr_b/outlet/AA2")
                  .body.contains(R"({"leaf":true,"name":"load","uri":"/v1/pdu/rtr_b/outlet/AA2/load"})"));
  EXPECT_EQ(ask(below_pdus, "/v1/pdu/router/").status, 400);
  EXPECT_EQ(ask(below_pdus, "/v1/pdu/rtr_b/outlet/AA3").status, 400);
  EXPECT_EQ(ask(below_pdus, "/v1/pdu/rtr_b/other").status, 404);
  EXPECT_TRUE(ask(below_pdus, "/v1/pdu/rtr_b/outlet/AA2/load?begin=1391216100&end=1391216400")
                  .body.starts_with(R"({"agg":"60","begin_time":1391216100,"cf":"raw","data":[],)"));
}

TEST_F(EsmondHistory, TimesOfLoadsAreRoundedDown) {
  const DataPoint points[] = {{.at = 1391216201000, .value = model::Value::of_long(1)},
                              {.at = 1391216262000, .value = model::Value::of_long(2)},
                              {.at = 1391216323000, .value = model::Value::of_long(3)}};
  std::string out;
  protocol::json::Writer snapped(out);
  append_points(snapped, points, {.unit_ms = 1000, .snapped_ms = 60'000});
  EXPECT_EQ(out, R"([{"ts":1391216160,"val":1},{"ts":1391216220,"val":2},{"ts":1391216280,"val":3}])");
  out.clear();
  protocol::json::Writer plain(out);
  append_points(plain, points, {.unit_ms = 1000});
  EXPECT_EQ(out, R"([{"ts":1391216201,"val":1},{"ts":1391216262,"val":2},{"ts":1391216323,"val":3}])");
}

}  // namespace
}  // namespace varve::api::esmond
