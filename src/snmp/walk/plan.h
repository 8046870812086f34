// SPDX-License-Identifier: Apache-2.0
// Plan: what is asked of every agent for one oidset, made once of the set and its correlator.
//
// Objects that end in .0 are scalars. Columns of one table are a pass: they are asked side by side, row by row, with
// the columns that name the rows first. A name that is found under another index than the row's (an ifName for a queue)
// is a look-up: its column is walked before the tables, and again behind them, because only a name that did not change
// between is known to be right. Objects that are no numbers are asked for histories only.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "snmp/inventory/correlator.h"
#include "snmp/inventory/oidset.h"
#include "snmp/session/binding.h"

namespace varve::snmp::walk {

using session::Arc;
using session::Name;
using ArcVector = std::vector<Arc>;

// What becomes a sample: an object, a stand-in, or a time of discontinuity.
struct Measure {
  std::string name = {};  // of the object
  inventory::ObjectType type = inventory::ObjectType::counter64;
  std::int32_t object = -1;  // its place in oidset.objects; -1: it is none of them
};

struct Column {
  ArcVector oid = {};
  bool is_name = false;
  std::uint16_t place = 0;  // in Plan::names, or in Plan::measures
  // A value that stands in for that of the column before it, in rows that do not have that.
  bool stands_in = false;
};

enum class PassKind : std::uint8_t { look_up, table, look_up_again };

struct Pass {
  PassKind kind = PassKind::table;
  std::vector<Column> columns = {};  // names first
  std::size_t names = 0;             // how many of them are names
};

struct Scalar {
  ArcVector oid = {};
  std::uint16_t place = 0;  // in Plan::measures
};

// A column that names rows.
struct NameColumn {
  ArcVector oid = {};
  bool looked_up = false;
};

struct Plan {
  inventory::Oidset oidset = {};
  inventory::Correlator correlator = {};
  std::vector<Measure> measures = {};
  std::vector<NameColumn> names = {};
  std::vector<std::vector<std::uint16_t>> layout_names = {};  // of each layout's columns, their places in `names`
  std::vector<Scalar> scalars = {};                           // without sysUpTime, which is always asked
  std::vector<Pass> passes = {};
};

inline constexpr Arc kUptime[] = {1, 3, 6, 1, 2, 1, 1, 3, 0};
inline constexpr std::string_view kDiscontinuity = "ifCounterDiscontinuityTime";

// `correlator`: of a set that has none, an empty one.
std::shared_ptr<const Plan> make_plan(const inventory::Oidset& oidset, const inventory::Correlator& correlator);

}  // namespace varve::snmp::walk
