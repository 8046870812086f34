// SPDX-License-Identifier: Apache-2.0
#include "tools/load/snmp_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace varve::load {
namespace {

using Shows = Column::Shows;

struct TableColumn {
  std::uint32_t number;
  BerTag syntax;
  Shows shows;
  std::uint32_t counter = 0;
};

// RFC 2863. The counters of 32 bits are the low bits of those of 64.
constexpr TableColumn kIfTable[] = {
    {1, BerTag::integer, Shows::row},
    {2, BerTag::octets, Shows::description},
    {3, BerTag::integer, Shows::type},
    {4, BerTag::integer, Shows::mtu},
    {5, BerTag::gauge32, Shows::speed},
    {6, BerTag::octets, Shows::mac},
    {7, BerTag::integer, Shows::status},
    {8, BerTag::integer, Shows::status},
    {9, BerTag::ticks, Shows::zero_ticks},
    {10, BerTag::counter32, Shows::counter, 6},
    {11, BerTag::counter32, Shows::counter, 7},
    {13, BerTag::counter32, Shows::counter, 113},
    {14, BerTag::counter32, Shows::counter, 114},
    {16, BerTag::counter32, Shows::counter, 10},
    {17, BerTag::counter32, Shows::counter, 11},
    {19, BerTag::counter32, Shows::counter, 119},
    {20, BerTag::counter32, Shows::counter, 120},
};
constexpr TableColumn kIfXTable[] = {
    {1, BerTag::octets, Shows::name},
    {2, BerTag::counter32, Shows::counter, 8},
    {3, BerTag::counter32, Shows::counter, 9},
    {4, BerTag::counter32, Shows::counter, 12},
    {5, BerTag::counter32, Shows::counter, 13},
    {6, BerTag::counter64, Shows::counter, 6},
    {7, BerTag::counter64, Shows::counter, 7},
    {8, BerTag::counter64, Shows::counter, 8},
    {9, BerTag::counter64, Shows::counter, 9},
    {10, BerTag::counter64, Shows::counter, 10},
    {11, BerTag::counter64, Shows::counter, 11},
    {12, BerTag::counter64, Shows::counter, 12},
    {13, BerTag::counter64, Shows::counter, 13},
    {15, BerTag::gauge32, Shows::high_speed},
    {18, BerTag::octets, Shows::alias},
    {19, BerTag::ticks, Shows::discontinuity},
};

std::uint32_t first_row(const Column& column) { return column.table ? 1 : 0; }

bool has_row(const Column& column, std::uint32_t row, const Device& device) {
  if (!column.table) return row == 0;
  return row >= 1 && (row <= device.interfaces || device.lies.walk == Walk::endless);
}

bool is_visible(const Column& column, bool counter64) { return counter64 || column.syntax != BerTag::counter64; }

}  // namespace

SnmpTables::SnmpTables() {
  const Oid system{1, 3, 6, 1, 2, 1, 1};
  const auto add = [this](Oid oid, std::uint32_t last, const Column& what) {
    oid.push_back(last);
    columns_.push_back(what);
    columns_.back().oid = oid;
  };
  add(system, 1, {{}, BerTag::octets, Shows::system_text});
  add(system, 2, {{}, BerTag::object, Shows::system_object});
  add(system, 3, {{}, BerTag::ticks, Shows::uptime});
  for (const std::uint32_t text : {4, 5, 6}) add(system, text, {{}, BerTag::octets, Shows::system_text});
  add({1, 3, 6, 1, 2, 1, 2}, 1, {{}, BerTag::integer, Shows::interfaces});
  for (const auto& c : kIfTable) add({1, 3, 6, 1, 2, 1, 2, 2, 1}, c.number, {{}, c.syntax, c.shows, c.counter, true});
  for (const auto& c : kIfXTable) {
    add({1, 3, 6, 1, 2, 1, 31, 1, 1, 1}, c.number, {{}, c.syntax, c.shows, c.counter, true});
  }
  BerWriter writer;
  for (Column& column : columns_) {
    writer.clear();
    writer.parts(column.oid.view());
    column.encoded.assign(writer.bytes().begin(), writer.bytes().end());
  }
}

// The first column that is not wholly before `oid`.
std::size_t SnmpTables::column_of(const Oid& oid) const {
  const auto before = [](const Column& column, const Oid& wanted) {
    const auto head = wanted.view().first(std::min(wanted.size, column.oid.size));
    return std::ranges::lexicographical_compare(column.oid.view(), head);
  };
  const auto found = std::lower_bound(columns_.begin(), columns_.end(), oid, before);
  return static_cast<std::size_t>(found - columns_.begin());
}

std::optional<Place> SnmpTables::find(const Oid& oid, const Device& device, bool counter64) const {
  const std::size_t at = column_of(oid);
  if (at == columns_.size()) return std::nullopt;
  const Column& column = columns_[at];
  if (oid.size != column.oid.size + 1 || !std::ranges::equal(column.oid.view(), oid.view().first(column.oid.size)) ||
      !has_row(column, oid.parts[oid.size - 1], device) || !is_visible(column, counter64)) {
    return std::nullopt;
  }
  return Place{at, oid.parts[oid.size - 1]};
}

std::optional<Place> SnmpTables::first_of(std::size_t column, const Device& device, bool counter64) const {
  for (; column < columns_.size(); ++column) {
    const auto row = first_row(columns_[column]);
    if (is_visible(columns_[column], counter64) && has_row(columns_[column], row, device)) return Place{column, row};
  }
  return std::nullopt;
}

std::optional<Place> SnmpTables::next(const Oid& oid, const Device& device, bool counter64) const {
  const std::size_t at = column_of(oid);
  if (at == columns_.size()) return std::nullopt;
  const Column& column = columns_[at];
  const bool inside =
      oid.size > column.oid.size && std::ranges::equal(column.oid.view(), oid.view().first(column.oid.size));
  if (!inside || !is_visible(column, counter64)) return first_of(at, device, counter64);
  const std::uint32_t row = oid.parts[column.oid.size];
  if (row < first_row(column)) return Place{at, first_row(column)};
  return next(Place{at, row}, device, counter64);
}

std::optional<Place> SnmpTables::next(const Place& place, const Device& device, bool counter64) const {
  const Column& column = columns_[place.column];
  if (column.table && has_row(column, place.row, device)) {
    if (device.lies.walk == Walk::stuck) return place;
    if (device.lies.walk == Walk::loop && place.row >= 3) return Place{place.column, 1};
  }
  if (place.row != UINT32_MAX && has_row(column, place.row + 1, device)) return Place{place.column, place.row + 1};
  return first_of(place.column + 1, device, counter64);
}

Oid SnmpTables::oid_of(const Place& place) const {
  Oid oid = columns_[place.column].oid;
  oid.push_back(place.row);
  return oid;
}

void SnmpTables::write(const Place& place, const Device& device, std::int64_t now_ms, BerWriter& out) {
  const auto varbind = out.open(BerTag::sequence);
  const Column& column = columns_[place.column];
  out.object(column.encoded, place.row);
  write_value(column, place.row, device, now_ms, out);
  out.close(varbind);
}

void SnmpTables::write_counter(const Column& column, std::uint64_t value, const Device& device, BerWriter& out) {
  if (device.lies.types == Types::text) {
    text_ = std::to_string(value);
    out.octets(text_);
  } else {
    out.unsigned_number(column.syntax, column.syntax == BerTag::counter32 ? static_cast<std::uint32_t>(value) : value);
  }
}

void SnmpTables::write_value(const Column& column, std::uint32_t row, const Device& device, std::int64_t now_ms,
                             BerWriter& out) {
  const std::uint32_t interface = column.table ? device.interface_of(row, now_ms) : 0;
  switch (column.shows) {
    case Shows::system_text:
      text_.clear();
      fmt::format_to(std::back_inserter(text_), "device {}", device.number);
      return out.octets(text_);
    case Shows::system_object: return out.object({1, 3, 6, 1, 4, 1, 1});
    case Shows::uptime: return out.unsigned_number(column.syntax, device.uptime_at(now_ms));
    case Shows::zero_ticks: return out.unsigned_number(column.syntax, 0);
    case Shows::interfaces: return out.unsigned_number(column.syntax, device.interfaces);
    case Shows::row: return out.unsigned_number(column.syntax, row);
    case Shows::type: return out.unsigned_number(column.syntax, 6);
    case Shows::mtu: return out.unsigned_number(column.syntax, 9000);
    case Shows::speed:
      return out.unsigned_number(column.syntax, std::min<std::uint64_t>(device.speed_mbits * 1'000'000, 0xffffffff));
    case Shows::mac:
      text_ = {2,
               0,
               static_cast<char>(device.number >> 8),
               static_cast<char>(device.number),
               static_cast<char>(interface >> 8),
               static_cast<char>(interface)};
      return out.octets(text_);
    case Shows::status: return out.unsigned_number(column.syntax, 1);
    case Shows::counter:
      return write_counter(column, device.counter_at(column.counter, interface, now_ms), device, out);
    case Shows::description:
    case Shows::name: device.name_of(interface, text_); return out.octets(text_);
    case Shows::high_speed: return out.unsigned_number(column.syntax, device.speed_mbits);
    case Shows::alias: device.alias_of(interface, text_); return out.octets(text_);
    case Shows::discontinuity: return out.unsigned_number(column.syntax, device.discontinuity);
  }
}

}  // namespace varve::load
