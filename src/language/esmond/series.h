// SPDX-License-Identifier: Apache-2.0
// Which series hold what esmond's paths name.
//
// snmp/DEVICE/OIDSET/OBJECT/INTERFACE of the oidset's frequency is the very series of the poller (docs/snmp.md). Any
// other path with its frequency is a series of its own, of the metric kRawMetric; base rates that are posted are beside
// both, of kBaseRateMetric.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "counter/declared.h"
#include "model/tags.h"
#include "query/engine.h"
#include "snmp/inventory/inventory.h"

namespace varve::language::esmond {

inline constexpr std::string_view kRawMetric = "esmond.RawData";
inline constexpr std::string_view kBaseRateMetric = "esmond.BaseRate";
inline constexpr std::string_view kPathTag = "path";            // names with @2F for a slash, slashes between them
inline constexpr std::string_view kFrequencyTag = "frequency";  // milliseconds

struct Target {
  std::string metric;
  model::Tags tags;  // in order of their keys

  auto operator<=>(const Target&) const = default;
};

struct Source {
  Target raw;
  Target posted;  // base rates
  std::int64_t base_ms = 0;
  bool is_unsigned = false;                         // its whole numbers have 64 bits
  bool is_counter = true;                           // else it has no rates
  const snmp::inventory::Oidset* set = nullptr;     // of a poller's
  const snmp::inventory::Object* object = nullptr;  // of those; nullptr of stand-ins
};

// Of a path and its frequency.
Source source_of(const query::Engine& engine, const std::string& tenant, const snmp::inventory::Inventory& inventory,
                 std::span<const std::string> path, std::int64_t frequency_ms);
// What is measured of an interface, by its name in the device's oidsets; of several the one that has a series. nullopt:
// the device has none of that name.
std::optional<Source> source_of_alias(const query::Engine& engine, const std::string& tenant,
                                      const snmp::inventory::Inventory& inventory,
                                      const snmp::inventory::Device& device, const std::string& interface,
                                      std::string_view alias);
// Of the RawData of these names the one of the least frequency. nullopt: there is none.
Result<std::optional<Source>> least_source_of(const query::Engine& engine, const std::string& tenant,
                                              const snmp::inventory::Inventory& inventory,
                                              std::span<const std::string> path);

// Was it ever written?
Result<bool> is_written(const query::Engine& engine, const std::string& tenant, const Target& target);

index::Matchers matchers_of(const Target& target);

// A source of counter::Declared: the series of esmond's own paths.
std::optional<counter::Declaration> esmond_declaration(std::string_view tenant, std::string_view metric,
                                                       const counter::TagOf& tag);

}  // namespace varve::language::esmond
