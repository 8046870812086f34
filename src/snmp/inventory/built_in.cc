// SPDX-License-Identifier: Apache-2.0
// The oidsets and correlators that come with varve: those of esmond, with the numbers of their objects.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "model/time.h"
#include "snmp/inventory/inventory.h"
#include "snmp/inventory/known_objects.h"

namespace varve::snmp::inventory {
namespace {

// RFC 1213 and 2863; Juniper; Cisco and RFC 6933; Server Technology Sentry3; Alcatel-Lucent TIMETRA-SAP; Infinera.
constexpr std::string_view kIfTable = "1.3.6.1.2.1.2.2.1";
constexpr std::string_view kIfXTable = "1.3.6.1.2.1.31.1.1.1";
constexpr std::string_view kJnxCos = "1.3.6.1.4.1.2636.3.15.1.1";
constexpr std::string_view kJnxLsp = "1.3.6.1.4.1.2636.3.2.5.1";
constexpr std::string_view kOutlets = "1.3.6.1.4.1.1718.3.2.3.1";
constexpr std::string_view kSensors = "1.3.6.1.4.1.1718.3.2.5.1";
constexpr std::string_view kSapInfo = "1.3.6.1.4.1.6527.3.1.2.4.3.2.1";
constexpr std::string_view kSapStats = "1.3.6.1.4.1.6527.3.1.2.4.3.6.1";
constexpr std::string_view kInfinera = "1.3.6.1.4.1.21296.2.2.2.3.8.1.1";

using enum ObjectType;

constexpr KnownObject kObjects[] = {
    {"sysUpTime", "1.3.6.1.2.1.1.3", 0, time_ticks},
    {"ifDescr", kIfTable, 2, octets},
    {"ifType", kIfTable, 3, integer32},
    {"ifMtu", kIfTable, 4, integer32},
    {"ifSpeed", kIfTable, 5, gauge32},
    {"ifPhysAddress", kIfTable, 6, phys_address},
    {"ifAdminStatus", kIfTable, 7, integer32},
    {"ifOperStatus", kIfTable, 8, integer32},
    {"ifInOctets", kIfTable, 10, counter32, true},
    {"ifInDiscards", kIfTable, 13, counter32, true, "discard/in"},
    {"ifInErrors", kIfTable, 14, counter32, true, "error/in"},
    {"ifOutOctets", kIfTable, 16, counter32, true},
    {"ifOutDiscards", kIfTable, 19, counter32, true, "discard/out"},
    {"ifOutErrors", kIfTable, 20, counter32, true, "error/out"},
    {"ifName", kIfXTable, 1, octets},
    {"ifHCInOctets", kIfXTable, 6, counter64, true, "in", "ifInOctets"},
    {"ifHCOutOctets", kIfXTable, 10, counter64, true, "out", "ifOutOctets"},
    {"ifHighSpeed", kIfXTable, 15, gauge32},
    {"ifAlias", kIfXTable, 18, octets},
    {"ipAdEntIfIndex", "1.3.6.1.2.1.4.20.1", 2, integer32},
    {"jnxFWCounterByteCount", "1.3.6.1.4.1.2636.3.5.2.1", 5, counter64},
    {"jnxCosIfqQedBytes", kJnxCos, 5, counter64, true},
    {"jnxCosIfqTxedBytes", kJnxCos, 9, counter64, true},
    {"jnxCosIfqTailDropPkts", kJnxCos, 11, counter64, true},
    {"jnxCosIfqTotalRedDropPkts", kJnxCos, 13, counter64, true},
    {"mplsLspInfoState", kJnxLsp, 2, integer32},
    {"mplsLspInfoFrom", kJnxLsp, 15, ip_address},
    {"mplsLspInfoTo", kJnxLsp, 16, ip_address},
    {"cpmCPUTotalPhysicalIndex", "1.3.6.1.4.1.9.9.109.1.1.1.1", 2, integer32},
    {"cpmCPUTotal5min", "1.3.6.1.4.1.9.9.109.1.1.1.1", 5, gauge32},
    {"entPhysicalName", "1.3.6.1.2.1.47.1.1.1.1", 7, octets},
    {"outletID", kOutlets, 2, octets},
    {"outletName", kOutlets, 3, octets},
    {"outletStatus", kOutlets, 5, integer32},
    {"outletLoadValue", kOutlets, 7, integer32},
    {"outletControlState", kOutlets, 10, integer32},
    {"tempHumidSensorID", kSensors, 2, octets},
    {"tempHumidSensorName", kSensors, 3, octets},
    {"tempHumidSensorTempValue", kSensors, 6, integer32},
    {"tempHumidSensorHumidValue", kSensors, 10, integer32},
    {"sapDescription", kSapInfo, 5, octets},
    {"sapIngressQosPolicyId", kSapInfo, 8, gauge32},
    {"sapEgressQosPolicyId", kSapInfo, 11, gauge32},
    {"sapBaseStatsIngressQchipDroppedHiPrioPackets", kSapStats, 7, counter64, true},
    {"sapBaseStatsIngressQchipDroppedHiPrioOctets", kSapStats, 8, counter64, true},
    {"sapBaseStatsIngressQchipDroppedLoPrioPackets", kSapStats, 9, counter64, true},
    {"sapBaseStatsIngressQchipDroppedLoPrioOctets", kSapStats, 10, counter64, true},
    {"sapBaseStatsIngressQchipForwardedInProfPackets", kSapStats, 11, counter64, true},
    {"sapBaseStatsIngressQchipForwardedInProfOctets", kSapStats, 12, counter64, true},
    {"sapBaseStatsIngressQchipForwardedOutProfPackets", kSapStats, 13, counter64, true},
    {"sapBaseStatsIngressQchipForwardedOutProfOctets", kSapStats, 14, counter64, true},
    {"sapBaseStatsEgressQchipDroppedInProfPackets", kSapStats, 15, counter64, true},
    {"sapBaseStatsEgressQchipDroppedInProfOctets", kSapStats, 16, counter64, true},
    {"sapBaseStatsEgressQchipDroppedOutProfPackets", kSapStats, 17, counter64, true},
    {"sapBaseStatsEgressQchipDroppedOutProfOctets", kSapStats, 18, counter64, true},
    {"sapBaseStatsEgressQchipForwardedInProfPackets", kSapStats, 19, counter64, true},
    {"sapBaseStatsEgressQchipForwardedInProfOctets", kSapStats, 20, counter64, true},
    {"sapBaseStatsEgressQchipForwardedOutProfPackets", kSapStats, 21, counter64, true},
    {"sapBaseStatsEgressQchipForwardedOutProfOctets", kSapStats, 22, counter64, true},
    {"gigeClientCtpPmRealRxOctets", kInfinera, 11, counter64, true, "in"},
    {"gigeClientCtpPmRealTxOctets", kInfinera, 25, counter64, true, "out"},
    {"gigeClientCtpPmRealCktId", kInfinera, 51, octets},
};

struct Set {
  std::string_view name;
  std::int64_t seconds;
  std::string_view correlator;
  std::vector<std::int64_t> aggregates_s;
  std::vector<std::string_view> objects;
  std::optional<HistoryKind> history = {};
};

std::vector<Set> sets() {
  const std::vector<std::int64_t> hour_and_day = {3600, 86400};
  const std::vector<std::string_view> hc = {"sysUpTime", "ifHCInOctets", "ifHCOutOctets"};
  const std::vector<std::string_view> errors = {"ifInErrors", "ifOutErrors", "ifInDiscards", "ifOutDiscards"};
  const auto interfaces = HistoryKind::interfaces;
  return {
      {"FastPoll", 30, "ifNameOrDescr", hour_and_day, {"sysUpTime", "ifInOctets", "ifOutOctets"}},
      {"FastPollHC", 30, "ifName", hour_and_day, hc},
      {"ALUFastPollHC", 30, "aluIfDescr", hour_and_day, hc},
      {"InfFastPollHC",
       30,
       "infIfDescr",
       {},
       {"sysUpTime", "gigeClientCtpPmRealRxOctets", "gigeClientCtpPmRealTxOctets"}},
      {"Errors", 300, "ifName", hour_and_day, errors},
      {"ALUErrors", 300, "aluIfDescr", hour_and_day, errors},
      {"JnxFirewall", 60, "jnxFirewall", {}, {"jnxFWCounterByteCount"}},
      {"JnxCOS",
       30,
       "jnxCos",
       {},
       {"jnxCosIfqQedBytes", "jnxCosIfqTxedBytes", "jnxCosIfqTailDropPkts", "jnxCosIfqTotalRedDropPkts"}},
      {"CiscoCPU", 300, "ciscoCpu", {}, {"cpmCPUTotal5min"}},
      {"SentryPoll", 60, "sentry", {}, {"outletLoadValue", "tempHumidSensorTempValue", "tempHumidSensorHumidValue"}},
      {"SentryOutletRefPoll",
       300,
       "sentry",
       {},
       {"outletName", "outletStatus", "outletControlState"},
       HistoryKind::outlets},
      {"ALUSAPPoll",
       11,
       "aluSap",
       {30, 3600, 86400},
       {"sapBaseStatsIngressQchipForwardedInProfOctets", "sapBaseStatsIngressQchipForwardedOutProfOctets",
        "sapBaseStatsEgressQchipForwardedInProfOctets", "sapBaseStatsEgressQchipForwardedOutProfOctets",
        "sapBaseStatsIngressQchipDroppedHiPrioPackets", "sapBaseStatsIngressQchipDroppedHiPrioOctets",
        "sapBaseStatsIngressQchipDroppedLoPrioPackets", "sapBaseStatsIngressQchipDroppedLoPrioOctets",
        "sapBaseStatsIngressQchipForwardedInProfPackets", "sapBaseStatsIngressQchipForwardedOutProfPackets",
        "sapBaseStatsEgressQchipDroppedInProfPackets", "sapBaseStatsEgressQchipDroppedInProfOctets",
        "sapBaseStatsEgressQchipDroppedOutProfPackets", "sapBaseStatsEgressQchipDroppedOutProfOctets",
        "sapBaseStatsEgressQchipForwardedInProfPackets", "sapBaseStatsEgressQchipForwardedOutProfPackets"}},
      {"ALUSAPRefPoll",
       60,
       "aluSap",
       {},
       {"sapDescription", "sapIngressQosPolicyId", "sapEgressQosPolicyId"},
       HistoryKind::saps},
      {"IfRefPoll",
       60,
       "ifNameOrDescr",
       {},
       {"ifDescr", "ifAlias", "ifSpeed", "ifHighSpeed", "ipAdEntIfIndex", "ifMtu", "ifType", "ifPhysAddress",
        "ifOperStatus", "ifAdminStatus"},
       interfaces},
      {"ALUIfRefPoll",
       60,
       "aluIfDescr",
       {},
       {"ifDescr", "ifSpeed", "ifHighSpeed", "ipAdEntIfIndex", "ifMtu", "ifType", "ifPhysAddress", "ifOperStatus",
        "ifAdminStatus"},
       interfaces},
      {"InfIfRefPoll", 60, "infIfDescr", {}, {"ifDescr", "gigeClientCtpPmRealCktId"}, interfaces},
      {"LSPOpStatus", 60, "lsp", {}, {"mplsLspInfoState", "mplsLspInfoTo", "mplsLspInfoFrom"}, HistoryKind::lsps},
  };
}

Column column(std::string_view name, std::vector<std::string> index) {
  const KnownObject* const known = known_object(name);
  check(known != nullptr, "a built-in column is a known object");
  return {.name = std::string(name), .oid = oid_of(*known), .index = std::move(index)};
}

TagRule tag(std::string name, std::string value) { return {.name = std::move(name), .value = std::move(value)}; }

// Rows of one number, and one column of theirs.
Layout by_column(const char* part, std::string_view of, const char* tag_name) {
  return {
      .index = {{.name = part}}, .columns = {column(of, {part})}, .tags = {tag(tag_name, "{" + std::string(of) + "}")}};
}

void add_interface_correlators(std::vector<Correlator>& out) {
  const Layout by_name = by_column("ifIndex", "ifName", "interface");
  out.push_back({"ifName", {by_name}});

  Layout described = by_name;
  described.columns.push_back(column("ifAlias", {"ifIndex"}));
  described.where.push_back({.column = "ifAlias", .negated = true, .value = ""});
  out.push_back({"ifNameDescribed", {described}});

  // An agent of SNMPv1 may not have ifName.
  Layout either = by_name;
  either.columns.push_back(column("ifDescr", {"ifIndex"}));
  either.tags[0].otherwise = "{ifDescr}";
  out.push_back({"ifNameOrDescr", {either}});

  out.push_back({"ifDescr", {by_column("ifIndex", "ifDescr", "interface")}});

  // Alcatel-Lucent: 1/1/1, 10-Gig Ethernet, "to somewhere"
  Layout alu = by_column("ifIndex", "ifDescr", "interface");
  alu.tags[0].until = ",";
  out.push_back({"aluIfDescr", {alu}});

  Layout infinera = by_column("ifIndex", "ifDescr", "interface");
  infinera.tags[0].after = "=";
  out.push_back({"infIfDescr", {infinera}});

  Layout queues = by_name;
  queues.index.push_back({.name = "queue", .kind = IndexKind::text});
  queues.tags.push_back(tag("queue", "{queue}"));
  out.push_back({"jnxCos", {queues}});
}

std::vector<Correlator> correlators() {
  std::vector<Correlator> out;
  add_interface_correlators(out);
  out.push_back(
      {"index", {{.index = {{.name = "index", .kind = IndexKind::rest}}, .tags = {tag("index", "{index}")}}}});
  out.push_back(
      {"jnxFirewall",
       {{.index = {{.name = "filter", .kind = IndexKind::text},
                   {.name = "counter", .kind = IndexKind::text},
                   {.name = "type",
                    .names = {{"1", "other"}, {"2", "counter"}, {"3", "policer"}, {"4", "hpolagg"}, {"5", "hpolpre"}}}},
         .tags = {tag("filter", "{filter}"), tag("counter", "{counter}"), tag("type", "{type}")}}}});
  out.push_back({"lsp", {{.index = {{.name = "lsp", .kind = IndexKind::rest_text}}, .tags = {tag("lsp", "{lsp}")}}}});
  out.push_back({"aluSap",
                 {{.index = {{.name = "service"}, {.name = "port", .kind = IndexKind::alu_port}, {.name = "vlan"}},
                   .tags = {tag("sap", "{service}-{port}-{vlan}")}}}});

  Layout outlets{.index = {{.name = "tower"}, {.name = "infeed"}, {.name = "outlet"}},
                 .columns = {column("outletID", {"tower", "infeed", "outlet"})},
                 .tags = {tag("outlet", "{outletID}")}};
  Layout sensors{.index = {{.name = "tower"}, {.name = "sensor"}},
                 .columns = {column("tempHumidSensorID", {"tower", "sensor"})},
                 .tags = {tag("sensor", "{tempHumidSensorID}")}};
  out.push_back({"sentry", {outlets, sensors}});

  // A device with a single CPU may have no such row.
  TagRule cpu = tag("cpu", "{entPhysicalName}");
  cpu.replace = {{"CPU_of_", ""}};
  cpu.otherwise = "CPU";
  out.push_back({"ciscoCpu",
                 {{.index = {{.name = "cpu"}},
                   .columns = {column("cpmCPUTotalPhysicalIndex", {"cpu"}),
                               column("entPhysicalName", {"cpmCPUTotalPhysicalIndex"})},
                   .tags = {cpu}}}});
  return out;
}

Inventory made() {
  Inventory out;
  for (Correlator& correlator : correlators()) out.correlators.emplace(correlator.name, std::move(correlator));
  for (const Set& set : sets()) {
    Oidset& oidset = out.oidsets[std::string(set.name)];
    oidset.name = set.name;
    oidset.frequency_ms = set.seconds * model::kSecondMs;
    oidset.correlator = set.correlator;
    oidset.history = set.history;
    for (const std::int64_t seconds : set.aggregates_s) oidset.aggregates_ms.push_back(seconds * model::kSecondMs);
    for (const std::string_view name : set.objects) oidset.objects.push_back(*object_of(name));
  }
  return out;
}

}  // namespace

Oid oid_of(const KnownObject& known) {
  auto oid = parse_oid(known.table);
  check(oid.has_value(), "a built-in oid is one");
  oid->push_back(known.column);
  return std::move(*oid);
}

const KnownObject* known_object(std::string_view name) {
  for (const KnownObject& known : kObjects) {
    if (known.name == name) return &known;
  }
  return nullptr;
}

std::optional<Object> object_of(std::string_view name) {
  const KnownObject* const known = known_object(name);
  if (known == nullptr) return std::nullopt;
  Object out{.name = std::string(name),
             .oid = oid_of(*known),
             .type = known->type,
             .aggregate = known->aggregate,
             .alias = std::string(known->alias),
             .stand_in = {}};
  if (const KnownObject* const other = known_object(known->stand_in)) {
    out.stand_in = {.name = std::string(other->name), .oid = oid_of(*other)};
  }
  return out;
}

const Inventory& built_in() {
  static const Inventory inventory = made();
  return inventory;
}

}  // namespace varve::snmp::inventory
