// SPDX-License-Identifier: Apache-2.0
#include "snmp/inventory/history.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/hex.h"
#include "snmp/inventory/utf8_text.h"

namespace varve::snmp::inventory {
namespace {

constexpr std::uint64_t kSpeedAtItsEnd = 4'294'967'295;  // of ifSpeed: the interface is faster, or nobody knows

using Words = std::span<const std::string_view>;

constexpr std::string_view kInterface[] = {"ifIndex",       "ifDescr",       "ifAlias", "ifSpeed",
                                           "ifHighSpeed",   "ifMtu",         "ifType",  "ifOperStatus",
                                           "ifAdminStatus", "ifPhysAddress", "ipAddr"};
constexpr std::string_view kSap[] = {"sapDescription", "sapIngressQosPolicyId", "sapEgressQosPolicyId"};
constexpr std::string_view kOutlet[] = {"outletName", "outletStatus", "outletControlState"};
constexpr std::string_view kLsp[] = {"srcAddr", "dstAddr", "state"};

// Objects whose attribute has another name.
constexpr std::pair<std::string_view, std::string_view> kOtherNames[] = {{"gigeClientCtpPmRealCktId", "ifAlias"},
                                                                         {"mplsLspInfoFrom", "srcAddr"},
                                                                         {"mplsLspInfoTo", "dstAddr"},
                                                                         {"mplsLspInfoState", "state"}};
constexpr std::string_view kAddressTable = "ipAdEntIfIndex";

std::optional<std::size_t> place_of(Words attributes, std::string_view object) {
  for (const auto& [other, name] : kOtherNames) {
    if (other == object) object = name;
  }
  const auto found = std::ranges::find(attributes, object);
  if (found == attributes.end()) return std::nullopt;
  return static_cast<std::size_t>(found - attributes.begin());
}

// Alcatel-Lucent has no ifAlias: it is the third part of ifDescr, `1/1/1, 10-Gig Ethernet, "to somewhere"`.
std::string alias_in(const std::string& descr) {
  const std::size_t first = descr.find(',');
  const std::size_t second = first == std::string::npos ? first : descr.find(',', first + 1);
  if (second == std::string::npos) return {};
  std::string alias = descr.substr(second + 1);
  std::erase(alias, '"');
  alias.erase(0, alias.find_first_not_of(' '));
  return alias;
}

// ifIndex → its least address. Addresses are compared by number.
std::map<std::int64_t, Oid> addresses_of(const Oidset& oidset, std::span<const WalkedRow> walked) {
  std::map<std::int64_t, Oid> out;
  const auto object = std::ranges::find(oidset.objects, kAddressTable, &Object::name);
  if (object == oidset.objects.end()) return out;
  const auto at = static_cast<std::size_t>(object - oidset.objects.begin());
  for (const WalkedRow& row : walked) {
    if (at >= row.values.size() || row.index.size() != 4) continue;
    const auto* const if_index = std::get_if<std::int64_t>(&row.values[at]);
    if (if_index == nullptr) continue;
    const auto [found, is_new] = out.emplace(*if_index, row.index);
    if (!is_new) found->second = std::min(found->second, row.index);
  }
  return out;
}

Attribute shown(const Object& object, const Attribute& value) {
  const auto* const bytes = std::get_if<std::string>(&value);
  if (bytes == nullptr) return value;
  if (object.type != ObjectType::phys_address) return utf8_text(*bytes);
  if (bytes->empty()) return Attribute();
  return phys_address_text(*bytes);
}

void finish_interface(const Oidset& oidset, const WalkedRow& row, const std::map<std::int64_t, Oid>& addresses,
                      HistoryRow& out) {
  const Words attributes = kInterface;
  const std::int64_t if_index = row.index.empty() ? 0 : row.index.back();
  out.attributes[*place_of(attributes, "ifIndex")] = if_index;
  if (const auto address = addresses.find(if_index); address != addresses.end()) {
    out.attributes[*place_of(attributes, "ipAddr")] = to_text(address->second);
  }
  Attribute& alias = out.attributes[*place_of(attributes, "ifAlias")];
  const auto* const descr = std::get_if<std::string>(&out.attributes[*place_of(attributes, "ifDescr")]);
  if (oidset.find("ifAlias") == nullptr && std::holds_alternative<std::monostate>(alias) && descr != nullptr) {
    alias = alias_in(*descr);
  }
}

}  // namespace

Words attributes_of(HistoryKind kind) {
  switch (kind) {
    case HistoryKind::interfaces: return kInterface;
    case HistoryKind::saps: return kSap;
    case HistoryKind::outlets: return kOutlet;
    case HistoryKind::lsps: return kLsp;
  }
  return {};
}

const Attribute* attribute_of(HistoryKind kind, const HistoryRow& row, std::string_view name) {
  const Words names = attributes_of(kind);
  const auto at = static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
  return at < names.size() && at < row.attributes.size() ? &row.attributes[at] : nullptr;
}

std::uint64_t bits_per_second(const HistoryRow& row) {
  const auto number = [&](std::string_view name) -> std::uint64_t {
    const Attribute* const attribute = attribute_of(HistoryKind::interfaces, row, name);
    const auto* const value = attribute == nullptr ? nullptr : std::get_if<std::int64_t>(attribute);
    return value == nullptr || *value < 0 ? 0 : static_cast<std::uint64_t>(*value);
  };
  // RFC 2863: ifSpeed is exact up to its end, and ifHighSpeed is in whole millions.
  const std::uint64_t exact = number("ifSpeed");
  return exact == 0 || exact == kSpeedAtItsEnd ? number("ifHighSpeed") * 1'000'000 : exact;
}

std::vector<HistoryRow> history_rows(const Oidset& oidset, std::span<const WalkedRow> walked) {
  std::vector<HistoryRow> out;
  if (!oidset.history) return out;
  const Words attributes = attributes_of(*oidset.history);
  const auto addresses = addresses_of(oidset, walked);
  std::set<std::string, std::less<>> seen;
  for (const WalkedRow& row : walked) {
    if (row.name.empty()) continue;
    HistoryRow made{.name = utf8_text(row.name), .attributes = {}, .begin = 0, .end = {}};
    if (!seen.insert(made.name).second) continue;
    made.attributes.resize(attributes.size());
    for (std::size_t i = 0; i < oidset.objects.size() && i < row.values.size(); ++i) {
      if (const auto place = place_of(attributes, oidset.objects[i].name)) {
        made.attributes[*place] = shown(oidset.objects[i], row.values[i]);
      }
    }
    if (oidset.history == HistoryKind::interfaces) finish_interface(oidset, row, addresses, made);
    out.push_back(std::move(made));
  }
  return out;
}

std::string phys_address_text(std::string_view bytes) {
  std::string out;
  for (const char& c : bytes) {
    if (!out.empty()) out += ':';
    append_hex(out, {&c, 1});
  }
  return out;
}

}  // namespace varve::snmp::inventory
