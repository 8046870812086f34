// SPDX-License-Identifier: Apache-2.0
// Oidset: objects that are polled together, how often, and what becomes of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "snmp/inventory/oid.h"

namespace varve::snmp::inventory {

// As SMI has them (RFC 2578). Types with other names are one of these: DisplayString is octets, INTEGER is integer32.
enum class ObjectType : std::uint8_t {
  counter32,
  counter64,
  gauge32,
  time_ticks,
  integer32,
  ip_address,
  octets,        // text
  phys_address,  // six bytes or so, shown as 00:1b:…
  object_id,
};

std::optional<ObjectType> object_type_of(std::string_view name);
// "Counter32", … ; "DisplayString" for octets.
std::string_view to_text(ObjectType type);
inline bool is_counter(ObjectType type) { return type == ObjectType::counter32 || type == ObjectType::counter64; }

// What is polled of an agent that does not have a 64-bit counter: a Counter32 of its own name.
struct StandIn {
  std::string name = {};
  Oid oid = {};
  bool operator==(const StandIn&) const = default;
};

struct Object {
  std::string name = {};  // its metric is "snmp." and this
  Oid oid = {};           // of a column; of a scalar's instance, which ends in .0
  ObjectType type = ObjectType::counter64;
  bool aggregate = false;  // the coarser granularities of the set are answered for it
  std::string alias = {};  // "in", "error/in"; empty: none
  std::optional<StandIn> stand_in = {};
  bool operator==(const Object&) const = default;
};

// What a set's rows are kept as, instead of as samples: rows with a begin and an end.
enum class HistoryKind : std::uint8_t { interfaces, saps, outlets, lsps };
std::optional<HistoryKind> history_kind_of(std::string_view name);
std::string_view to_text(HistoryKind kind);

inline constexpr std::size_t kObjectsMax = 1000;  // of a set

struct Oidset {
  std::string name = {};
  std::int64_t frequency_ms = 0;                 // from 1 s to a day, whole seconds
  std::string correlator = {};                   // its name; empty: all objects are scalars
  std::vector<std::int64_t> aggregates_ms = {};  // ascending, each longer than the frequency
  std::vector<Object> objects = {};
  std::optional<HistoryKind> history = {};
  bool operator==(const Oidset&) const = default;

  [[nodiscard]] const Object* find(std::string_view object) const;
  // The type of an object or of a stand-in of that name; nullopt: it has none such.
  [[nodiscard]] std::optional<ObjectType> type_of(std::string_view object) const;
};

// What is wrong with it by itself, each fault as `objects[2].oid: …`; nothing if it is good.
std::vector<std::string> faults_of(const Oidset& oidset);

}  // namespace varve::snmp::inventory
