// SPDX-License-Identifier: Apache-2.0
#include "snmp/inventory/correlator.h"

#include <gtest/gtest.h>

#include "snmp/inventory/index_text.h"
#include "snmp/inventory/inventory.h"

namespace varve::snmp::inventory {
namespace {

Oid numbers_behind(std::string_view text) {
  Oid out;
  while (!text.empty()) {
    const std::size_t dot = std::min(text.find('.'), text.size());
    out.push_back(static_cast<std::uint32_t>(std::stoul(std::string(text.substr(0, dot)))));
    text.remove_prefix(std::min(dot + 1, text.size()));
  }
  return out;
}

// "interface=xe-0/0/0 queue=best-effort", or why there are none. `columns`: what the agent has, by name.
std::string tags_of(const char* correlator, std::string_view index_text,
                    const std::map<std::string, std::string>& agent = {}) {
  const Correlator* const found = find_correlator({}, correlator);
  if (found == nullptr) return "no such correlator";
  const Oid index = numbers_behind(index_text);
  const auto number = layout_of(*found, index);
  if (!number) return "fits no layout";
  const Layout& layout = found->layouts[*number];
  const auto parts = index_texts(layout, index);
  std::vector<std::string> columns;
  for (const Column& column : layout.columns) {
    const auto at = column_index(layout, column, *parts, columns);
    const auto value = at ? agent.find(column.name + "." + to_text(*at)) : agent.end();
    columns.push_back(value == agent.end() ? "" : value->second);
  }
  const auto values = tag_values(layout, *parts, columns);
  if (!values) return "left out";
  std::string out;
  for (std::size_t i = 0; i < values->size(); ++i) {
    out += (i == 0 ? "" : " ") + layout.tags[i].name + "=" + (*values)[i];
  }
  return out;
}

TEST(Correlator, gives_tags) {
  struct Case {
    const char* correlator;
    const char* index;
    std::map<std::string, std::string> agent;
    const char* tags;
  };
  const Case cases[] = {
      {"ifName", "116", {{"ifName.116", "xe-0/0/0"}}, "interface=xe-0/0/0"},
      {"ifName", "117", {{"ifName.117", ""}}, "left out"},
      {"ifName", "118", {}, "left out"},
      {"ifName", "1.2", {{"ifName.1", "a"}}, "fits no layout"},
      {"ifNameDescribed", "116", {{"ifName.116", "ge-1"}, {"ifAlias.116", "to Oslo"}}, "interface=ge-1"},
      {"ifNameDescribed", "117", {{"ifName.117", "ge-2"}, {"ifAlias.117", ""}}, "left out"},
      {"ifNameOrDescr", "1", {{"ifName.1", "eth0"}, {"ifDescr.1", "Ethernet"}}, "interface=eth0"},
      {"ifNameOrDescr", "1", {{"ifDescr.1", "Ethernet"}}, "interface=Ethernet"},
      {"ifNameOrDescr", "1", {}, "left out"},
      {"aluIfDescr", "3", {{"ifDescr.3", "1/1/1, 10-Gig Ethernet, \"to x\""}}, "interface=1/1/1"},
      {"infIfDescr", "3", {{"ifDescr.3", "GIGECLIENTCTP=1-A-3-T2"}}, "interface=1-A-3-T2"},
      {"infIfDescr", "3", {{"ifDescr.3", "plain"}}, "interface=plain"},
      {"index", "7.1.2", {}, "index=7.1.2"},
      {"jnxCos",
       "116.11.98.101.115.116.45.101.102.102.111.114.116",
       {{"ifName.116", "ge-1/0/0"}},
       "interface=ge-1/0/0 queue=best-effort"},
      {"jnxCos", "116.12.98", {{"ifName.116", "ge-1/0/0"}}, "fits no layout"},
      {"jnxFirewall", "4.102.110.97.108.2.100.105.2", {}, "filter=fnal counter=di type=counter"},
      {"jnxFirewall", "1.102.1.100.9", {}, "filter=f counter=d type=9"},
      {"lsp", "97.45.98.0.0", {}, "lsp=a-b"},
      {"lsp", "300", {}, "fits no layout"},
      {"sentry", "1.1.2", {{"outletID.1.1.2", "AA2"}}, "outlet=AA2"},
      {"sentry", "1.2", {{"tempHumidSensorID.1.2", "A2"}}, "sensor=A2"},
      {"sentry", "1", {}, "fits no layout"},
      {"aluSap", "111.337969152.2200", {}, "sap=111-10/1/10-2200"},
      {"ciscoCpu",
       "1",
       {{"cpmCPUTotalPhysicalIndex.1", "22"}, {"entPhysicalName.22", "CPU_of_Module_1"}},
       "cpu=Module_1"},
      {"ciscoCpu", "1", {{"cpmCPUTotalPhysicalIndex.1", "22"}, {"entPhysicalName.22", "CPU_of_"}}, "cpu=CPU"},
      {"ciscoCpu", "1", {}, "cpu=CPU"},
  };
  for (const Case& one : cases) {
    EXPECT_EQ(tags_of(one.correlator, one.index, one.agent), one.tags) << one.correlator << " " << one.index;
  }
}

TEST(Correlator, reads_ports_of_alcatel) {
  const std::pair<std::uint32_t, const char*> ports[] = {{35684352, "1/1/1"},     {337969152, "10/1/10"},
                                                         {574652426, "1/2/1.10"}, {1073741825, "virtual-1"},
                                                         {1342177281, "lag-1"},   {0x1e000000, "invalid-portid"}};
  for (const auto& [port, text] : ports) EXPECT_EQ(alu_port_text(port), text);
}

TEST(Correlator, replaces_and_cuts) {
  Layout layout{.index = {{.name = "n"}}, .tags = {{.name = "t", .value = "a{n} b{n}{", .replace = {{" ", "_"}}}}};
  EXPECT_EQ((*tag_values(layout, std::vector<std::string>{"7"}, {}))[0], "a7_b7{");
  layout.tags[0] = {.name = "t", .value = "{n}", .until = "=", .after = "-", .otherwise = "<{n}>"};
  EXPECT_EQ((*tag_values(layout, std::vector<std::string>{"x-y-z=1-2"}, {}))[0], "y-z");
  EXPECT_EQ((*tag_values(layout, std::vector<std::string>{"=1"}, {}))[0], "<=1>");
  layout.where = {{.column = "n", .negated = false, .value = "7"}};
  EXPECT_TRUE(tag_values(layout, std::vector<std::string>{"7"}, {}));
  EXPECT_FALSE(tag_values(layout, std::vector<std::string>{"8"}, {}));
}

TEST(Inventory, what_is_built_in_is_good) {
  EXPECT_EQ(built_in().oidsets.size(), 17U);
  EXPECT_EQ(faults_of(built_in()), std::vector<std::string>());
  const Oidset* const set = find_oidset({}, "FastPollHC");
  ASSERT_NE(set, nullptr);
  EXPECT_EQ(set->frequency_ms, 30'000);
  EXPECT_EQ(to_text(set->find("ifHCOutOctets")->oid), "1.3.6.1.2.1.31.1.1.1.10");
  EXPECT_EQ(set->type_of("ifInOctets"), ObjectType::counter32);  // a stand-in
  EXPECT_EQ(set->type_of("ifInErrors"), std::nullopt);
  EXPECT_EQ(to_text(set->find("sysUpTime")->oid), "1.3.6.1.2.1.1.3.0");
}

}  // namespace
}  // namespace varve::snmp::inventory
