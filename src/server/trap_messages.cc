// SPDX-License-Identifier: Apache-2.0
#include "server/trap_messages.h"

#include <algorithm>
#include <charconv>
#include <span>
#include <utility>
#include <vector>

#include "base/log.h"
#include "snmp/inventory/utf8_text.h"

namespace varve::server {
namespace {

using message::Column;
using snmp::inventory::HistoryKind;
using snmp::session::Arc;
using snmp::session::Kind;
using snmp::session::TrapMessage;
using snmp::session::TrapValue;

constexpr std::int64_t kAlarmKind = 11, kWarning = 4, kNotice = 5;
constexpr std::size_t kFieldBytesMax = std::size_t{1} << 15;

// By their oids in SNMPv2-MIB.
constexpr std::string_view kGenericNames[] = {
    "coldStart", "warmStart", "linkDown", "linkUp", "authenticationFailure", "egpNeighborLoss"};

struct NamedOid {
  std::vector<Arc> oid;
  std::string_view name;
};

const std::vector<NamedOid>& named_oids() {
  static const std::vector<NamedOid> names{
      {{1, 3, 6, 1, 2, 1, 2, 2, 1, 1}, "ifIndex"},      {{1, 3, 6, 1, 2, 1, 2, 2, 1, 2}, "ifDescr"},
      {{1, 3, 6, 1, 2, 1, 2, 2, 1, 3}, "ifType"},       {{1, 3, 6, 1, 2, 1, 2, 2, 1, 7}, "ifAdminStatus"},
      {{1, 3, 6, 1, 2, 1, 2, 2, 1, 8}, "ifOperStatus"}, {{1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 1}, "ifName"},
      {{1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 18}, "ifAlias"}, {{1, 3, 6, 1, 6, 3, 1, 1, 4, 3}, "snmpTrapEnterprise"},
      {{1, 3, 6, 1, 6, 3, 18, 1, 3}, "snmpTrapAddress"}};
  return names;
}

bool is_below(std::span<const Arc> name, std::span<const Arc> oid) {
  return name.size() >= oid.size() && std::ranges::equal(name.first(oid.size()), oid);
}

std::string dotted(std::span<const Arc> name) {
  std::string out;
  for (const Arc arc : name) out += (out.empty() ? "" : ".") + std::to_string(arc);
  return out;
}

// "ifDescr.3"; what is not known is dotted.
std::string name_of(std::span<const Arc> name) {
  for (const auto& [oid, known] : named_oids()) {
    if (!is_below(name, oid)) continue;
    const std::string index = dotted(name.subspan(oid.size()));
    return std::string(known) + (index.empty() ? "" : "." + index);
  }
  return dotted(name);
}

std::string trap_name(std::span<const Arc> name) {
  static const std::vector<Arc> kStandard{1, 3, 6, 1, 6, 3, 1, 1, 5};
  const bool is_standard = name.size() == kStandard.size() + 1 && is_below(name, kStandard);
  if (is_standard && name.back() >= 1 && name.back() <= std::size(kGenericNames))
    return std::string(kGenericNames[name.back() - 1]);
  return dotted(name);
}

bool is_number(Kind kind) {
  return kind == Kind::integer || kind == Kind::counter32 || kind == Kind::gauge32 || kind == Kind::ticks ||
         kind == Kind::counter64;
}

}  // namespace

std::string interface_of(const TrapMessage& trap, std::optional<std::int64_t>& index) {
  std::string name, descr;
  for (const TrapValue& value : trap.values) {
    const std::string of = name_of(value.name);
    if (of.starts_with("ifName.")) name = snmp::inventory::utf8_text(value.text, message::kNameBytesMax);
    if (of.starts_with("ifDescr.")) descr = snmp::inventory::utf8_text(value.text, message::kNameBytesMax);
    std::int64_t number = 0;
    const char* const end = value.text.data() + value.text.size();
    if (of.starts_with("ifIndex") && std::from_chars(value.text.data(), end, number).ptr == end) index = number;
  }
  return name.empty() ? descr : name;
}

void add_trap(const std::string& device, const std::string& interface, const std::string& address,
              const TrapMessage& trap, std::int64_t time_us, message::Batch& batch) {
  using snmp::session::Trap;
  const std::string type = trap_name(trap.name);
  const std::string object = "PhysicalInterfaceTable:" + device + ":" + interface;
  std::string text = type;
  std::vector<std::pair<std::string, std::string>> fields;
  for (const TrapValue& value : trap.values) {
    fields.emplace_back(name_of(value.name), snmp::inventory::utf8_text(value.text, kFieldBytesMax));
    text += " " + fields.back().first + "=" + fields.back().second;
  }
  text.resize(std::min(text.size(), message::kTextBytesMax / 2));
  text = snmp::inventory::utf8_text(text, message::kTextBytesMax);  // not cut inside of a character
  message::Builder builder(batch);
  builder.start();
  const bool is_bad = trap.kind == Trap::link_down || type == "authenticationFailure" || type == "egpNeighborLoss";
  builder.set(Column::level, is_bad ? kWarning : kNotice);
  builder.set(Column::kind, kAlarmKind);
  // Names are short enough; what does not fit is left out, and the message stays.
  static_cast<void>(builder.set(Column::source, device));
  static_cast<void>(builder.set(Column::module, "snmptrapd"));
  static_cast<void>(builder.set(Column::category, "snmp"));
  static_cast<void>(builder.set(Column::type, type));
  static_cast<void>(builder.set(Column::ip, address));
  static_cast<void>(builder.set(Column::text, text));
  if (!interface.empty()) static_cast<void>(builder.add_object(object));
  for (std::size_t i = 0; i < std::min(fields.size(), message::kFieldsMax); ++i) {
    const auto form = is_number(trap.values[i].kind) ? message::FieldForm::number : message::FieldForm::text;
    static_cast<void>(builder.add_field(fields[i].first, form, fields[i].second));
  }
  builder.finish(time_us);
}

struct TrapMessages::State {
  write::MessageWriter& writer;
  const snmp::inventory::HistoryStore& histories;
  const Clock& clock;
  Counter &accepted, &not_stored;
  std::atomic<std::size_t> waiting{0};

  // The interface that has this index now.
  [[nodiscard]] std::string interface_at(const std::string& tenant, const std::string& device,
                                         std::int64_t index) const {
    const model::Timestamp now_ms = clock.now_ms();
    const auto rows = histories.rows(tenant, device, HistoryKind::interfaces, {now_ms, now_ms + 1});
    if (!rows) return {};
    for (const auto& row : *rows) {
      const auto* const found = attribute_of(HistoryKind::interfaces, row, "ifIndex");
      if (found != nullptr && *found == snmp::inventory::Attribute(index)) return row.name;
    }
    return {};
  }
};

Counter& TrapMessages::retimed(Metrics& metrics) {
  return metrics.counter(
      "varve_messages_retimed_total",
      "Log messages stored under the time of arrival, as their own was out of what is kept, by protocol.",
      {{"protocol", "snmp"}});
}

TrapMessages::TrapMessages(write::MessageWriter& writer, const snmp::inventory::HistoryStore& histories,
                           const Clock& clock, Metrics& metrics)
    : state_(std::make_shared<State>(
          writer, histories, clock,
          metrics.counter("varve_messages_accepted_total", "Log messages stored, by protocol.", {{"protocol", "snmp"}}),
          metrics.counter("varve_messages_rejected_total", "Log messages refused, by protocol and reason.",
                          {{"protocol", "snmp"}, {"reason", "store"}}))),
      pool_(1, kWaitingMax) {}

TrapMessages::~TrapMessages() = default;

void TrapMessages::take(const std::string& tenant, const std::string& device, const snmp::session::Peer& from,
                        const TrapMessage& trap, snmp::poller::TrapDone done) {
  const std::int64_t time_us = state_->clock.now_ms() * 1000;
  const bool has_room = state_->waiting.fetch_add(1) < kWaitingMax;
  const auto end = [state = state_, done = std::move(done)](bool is_stored) {
    state->waiting.fetch_sub(1);
    (is_stored ? state->accepted : state->not_stored).add();
    done(is_stored);
  };
  const bool posted =
      has_room && pool_.post([state = state_, tenant, device, address = host_of(from), trap, time_us, end] {
        std::optional<std::int64_t> index;
        std::string interface = interface_of(trap, index);
        if (index) {
          if (std::string known = state->interface_at(tenant, device, *index); !known.empty())
            interface = std::move(known);
        }
        const auto batch = std::make_shared<message::Batch>();
        add_trap(device, interface, address, trap, time_us, *batch);
        state->writer.append(tenant, *batch, [batch, end](const Status& status) { end(status.has_value()); });
      });
  if (!posted) end(false);
}

}  // namespace varve::server
