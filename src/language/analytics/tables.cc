// SPDX-License-Identifier: Apache-2.0
#include "language/analytics/tables.h"

#include <algorithm>
#include <array>

namespace varve::language::analytics {
namespace {

struct KnownTable {
  std::string_view name, short_name, display_name;
};
constexpr std::array<KnownTable, 38> kKnown{{
    {"ObjectVNTable", "virtual-network", "Virtual Network"},
    {"ObjectVMTable", "virtual-machine", "Virtual Machine"},
    {"ObjectVMITable", "virtual-machine-interface", "Virtual Machine Interface"},
    {"ObjectSITable", "service-instance", "Service Instance"},
    {"ObjectLBTable", "loadbalancer", "Loadbalancer"},
    {"ObjectVRouter", "vrouter", "vRouter"},
    {"ObjectPRouter", "prouter", "pRouter"},
    {"ObjectBgpPeer", "bgp-peer", "BGP Peer"},
    {"ObjectBgpRouter", "control-node", "Control Node"},
    {"ObjectRoutingInstance", "routing-instance", "Routing Instance"},
    {"ObjectXmppConnection", "xmpp-connection", "XMPP Connection"},
    {"ObjectXmppPeerInfo", "xmpp-peer", "XMPP Peer"},
    {"ObjectCollectorInfo", "analytics-node", "Analytics Node"},
    {"ObjectDatabaseInfo", "database-node", "Database Node"},
    {"ObjectGeneratorInfo", "generator", "Generator"},
    {"ObjectConfigNode", "config-node", "Config Node"},
    {"ObjectDns", "dns-node", "DNS Node"},
    {"ObjectQueryTable", "analytics-query", "Query Object Table"},
    {"ObjectQueryQid", "analytics-query-id", "Query Object Qid"},
    {"ObjectPoolTable", "storage-pool", "Storage Pool"},
    {"ObjectOsdTable", "storage-osd", "Storage Device"},
    {"ObjectDiskTable", "storage-disk", "Storage RawDisk"},
    {"ObjectServerTable", "server", "Server Table Info"},
    {"ObjectPhysicalInterfaceTable", "physical-interface", "Physical Interface"},
    {"ObjectLogicalInterfaceTable", "logical-interface", "Logical Interface"},
    {"ObjectStorageClusterTable", "storage-cluster", "Storage Cluster"},
    {"ObjectKubernetesManagerNode", "kubernetes-manager-node", "Kubernetes Manager Node"},
    {"ObjectTagTable", "tag", "Tag"},
    {"ObjectProjectTable", "project", "Project"},
    {"ObjectFirewallPolicyTable", "firewall-policy", "Firewall Policy"},
    {"ObjectFirewallRuleTable", "firewall-rule", "Firewall Rule"},
    {"ObjectAddressGroupTable", "address-group", "Address Group"},
    {"ObjectServiceGroupTable", "service-group", "Service Group"},
    {"ObjectApplicationPolicySetTable", "application-policy-set", "Application Policy Set"},
    {"ServiceChain", "service-chain", "Service Chain"},
    {"ConfigObjectTable", "config", "Config Object Table"},
    {"ConfigObjectTableByUser", "config-user", "Config Object by User Table"},
    {"UserDefinedLogStatTable", "user-defined-log-statistic", "User Defined Log Statistic"},
}};

constexpr std::array<SchemaColumn, 15> kLogColumns{{{"MessageTS", "int", false},
                                                    {"Source", "string", true},
                                                    {"ModuleId", "string", true},
                                                    {"Category", "string", true},
                                                    {"Level", "int", true},
                                                    {"Type", "int", true},
                                                    {"Messagetype", "string", true},
                                                    {"SequenceNum", "int", false},
                                                    {"NodeType", "string", false},
                                                    {"InstanceId", "string", false},
                                                    {"IPAddress", "ipaddr", true},
                                                    {"Pid", "int", false},
                                                    {"Xmlmessage", "string", false},
                                                    {"ObjectName", "string", true},
                                                    {"id", "string", false}}};
constexpr std::array<SchemaColumn, 18> kObjectColumns{{{"MessageTS", "int", false},
                                                       {"ObjectId", "string", true},
                                                       {"Source", "string", true},
                                                       {"ModuleId", "string", true},
                                                       {"Messagetype", "string", true},
                                                       {"ObjectLog", "string", false},
                                                       {"SystemLog", "string", false},
                                                       {"Category", "string", true},
                                                       {"Level", "int", true},
                                                       {"Type", "int", true},
                                                       {"SequenceNum", "int", false},
                                                       {"NodeType", "string", false},
                                                       {"InstanceId", "string", false},
                                                       {"IPAddress", "ipaddr", true},
                                                       {"Pid", "int", false},
                                                       {"Xmlmessage", "string", false},
                                                       {"ObjectName", "string", true},
                                                       {"id", "string", false}}};
constexpr std::array<SchemaColumn, 2> kStatColumns{{{"name", "string", true}, {"fields.value", "string", true}}};

}  // namespace

std::string_view kind_name(TableKind kind) {
  switch (kind) {
    case TableKind::log: return "LOG";
    case TableKind::object: return "OBJECT";
    case TableKind::stat: return "STAT";
  }
  return "";
}

Tables::Tables(std::span<const std::string> types_seen) {
  const auto add = [this](TableKind kind, std::string_view name, std::string_view display_name) {
    tables_.try_emplace(std::string(name), Table{kind, std::string(name), std::string(display_name)});
  };
  add(TableKind::log, kMessageTable, "");
  add(TableKind::stat, kFieldNames, "");
  for (const KnownTable& known : kKnown) add(TableKind::object, known.name, known.display_name);
  for (const std::string& type : types_seen) add(TableKind::object, type, type);
}

const Table* Tables::find(std::string_view name) const {
  const auto found = tables_.find(name);
  return found == tables_.end() ? nullptr : &found->second;
}

std::string_view table_of_short_name(std::string_view short_name) {
  const auto* const found = std::ranges::find(kKnown, short_name, &KnownTable::short_name);
  return found == kKnown.end() ? std::string_view() : found->name;
}

std::vector<std::string_view> short_names() {
  std::vector<std::string_view> out;
  for (const KnownTable& known : kKnown) out.push_back(known.short_name);
  return out;
}

std::span<const SchemaColumn> schema_of(TableKind kind) {
  switch (kind) {
    case TableKind::log: return kLogColumns;
    case TableKind::object: return kObjectColumns;
    case TableKind::stat: return kStatColumns;
  }
  return {};
}

}  // namespace varve::language::analytics
