// SPDX-License-Identifier: Apache-2.0
#include "migrate/contrail_cells.h"

#include <arpa/inet.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>

#include "message/id.h"

namespace varve::migrate {
namespace {

using message::Column;
using Role = ContrailColumn::Role;

constexpr unsigned kOffsetBits = 23;
constexpr std::int64_t kOffsetMax = (std::int64_t{1} << kOffsetBits) - 1;
constexpr std::int64_t kSlotMax = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t kObjectCells = 6;  // of a row of v2: Contrail lost further names

std::unexpected<Error> bad(const ContrailColumn& column, const std::string& why) {
  return fail(Code::corrupt, column.name + ": " + why);
}

// Of any of CQL's types of integers, big endian.
std::optional<std::int64_t> integer_of(std::string_view bytes) {
  if (bytes.empty() || bytes.size() > sizeof(std::int64_t)) return std::nullopt;
  std::uint64_t bits = (static_cast<unsigned char>(bytes[0]) & 0x80U) != 0 ? ~std::uint64_t{0} : 0;
  for (const char c : bytes) bits = bits << 8 | static_cast<unsigned char>(c);
  return std::bit_cast<std::int64_t>(bits);
}

std::optional<std::int64_t> decimal_of(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// "" where it is no address.
std::string address_of(std::string_view bytes) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (bytes.size() != 4 && bytes.size() != 16) return {};
  ::inet_ntop(bytes.size() == 4 ? AF_INET : AF_INET6, bytes.data(), text.data(), text.size());
  return text.data();
}

// Contrail has these as 32 bits without a sign, and Cassandra as 32 with one.
std::int64_t as_sent(Column column, std::int64_t value) {
  const bool wraps = value < 0 && value >= std::numeric_limits<std::int32_t>::min();
  return wraps && (column == Column::pid || column == Column::sequence)
             ? static_cast<std::int64_t>(static_cast<std::uint32_t>(value))
             : value;
}

}  // namespace

std::string_view without_prefix(std::string_view cell, std::string_view decimal, std::string_view hex) {
  const std::size_t colon = cell.find(':');
  if (colon == std::string_view::npos) return cell;
  std::string_view head = cell.substr(0, colon);
  bool is_own = head == decimal;
  if (!is_own) {
    constexpr std::size_t kHexDigitsMax = 8;
    if (head.size() > 2 && head[0] == '0' && (head[1] | 0x20) == 'x') head.remove_prefix(2);
    if (head.empty() || head.size() > kHexDigitsMax) return cell;
    while (head.size() > 1 && head[0] == '0') head.remove_prefix(1);
    is_own = std::ranges::equal(head, hex, {}, [](char c) { return c >= 'A' && c <= 'F' ? c | 0x20 : c; });
  }
  return is_own ? cell.substr(colon + 1) : cell;
}

void ContrailCells::set_slot(std::int64_t slot) {
  has_slot_ = true;
  if (slot == slot_) return;
  slot_ = slot;
  slot_decimal_ = std::to_string(slot);
  std::array<char, 16> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), slot, 16).ptr;
  slot_hex_.assign(digits.data(), end);
}

std::string_view ContrailCells::without_slot(std::string_view cell) const {
  return has_slot_ ? without_prefix(cell, slot_decimal_, slot_hex_) : cell;
}

void ContrailCells::add_object(std::string_view name) {
  if (!builder_.add_object(name) && bad_name_.empty()) bad_name_ = name;
}

void ContrailCells::add_objects_of_text() {
  if (text_.empty() || !xml_names_.read(text_)) return;
  for (const auto& name : xml_names_.names()) (void)builder_.add_object(name);
}

Status ContrailCells::number(const ContrailColumn& column, std::int64_t value) {
  switch (column.role) {
    case Role::slot:
      if (value < 0 || value > kSlotMax) return bad(column, std::to_string(value) + " is not a T2");
      set_slot(value);
      return {};
    case Role::offset:
      if (value < 0 || value > kOffsetMax) return bad(column, std::to_string(value) + " is not a T1 of 23 bits");
      has_offset_ = true;
      time_us_ += value;
      return {};
    case Role::time:
      has_time_ = true;
      time_us_ = value;
      return {};
    case Role::field:
      return builder_.add_field(column.name, message::FieldForm::number, made_.emplace_back(std::to_string(value)));
    case Role::column:
      if (!message::is_integer(column.column)) return text(column, made_.emplace_back(std::to_string(value)));
      if (column.column == Column::level && value != static_cast<std::int32_t>(value))
        return bad(column, std::to_string(value) + " has more than 32 bits");
      builder_.set(column.column, as_sent(column.column, value));
      return {};
    case Role::id:
    case Role::object: break;
  }
  return bad(column, "a number is of no use here");
}

Status ContrailCells::text(const ContrailColumn& column, std::string_view value) {
  if (column.role == Role::field) return builder_.add_field(column.name, message::FieldForm::text, value);
  if (column.role == Role::column && !message::is_integer(column.column)) {
    const bool prefixed =
        column.column == Column::source || column.column == Column::type || column.column == Column::module;
    if (prefixed) value = without_slot(value);
    if (column.column == Column::text) text_ = value;
    return value.empty() ? Status() : builder_.set(column.column, value);
  }
  if (column.role == Role::object) {
    value = without_slot(value);
    if (!value.empty()) ++objects_, add_object(value);
    return {};
  }
  const auto parsed = decimal_of(value);
  if (!parsed) return bad(column, "'" + std::string(value.substr(0, 40)) + "' is not a number");
  return number(column, *parsed);
}

Status ContrailCells::cell(const ContrailColumn& column, driver::Cell cell) {
  const std::string_view bytes = cell.bytes();
  if (bytes.empty()) return {};  // nothing in it, or a text of nothing: absent
  switch (column.form) {
    case CellForm::text: return text(column, bytes);
    case CellForm::integer: {
      const auto value = integer_of(bytes);
      return value ? number(column, *value) : bad(column, "an integer of " + std::to_string(bytes.size()) + " bytes");
    }
    case CellForm::inet: {
      const std::string& address = made_.emplace_back(address_of(bytes));
      return address.empty() ? bad(column, "an address of " + std::to_string(bytes.size()) + " bytes")
                             : text(column, address);
    }
    case CellForm::uuid: break;
  }
  if (bytes.size() != message::kIdBytes) return bad(column, "a UUID of " + std::to_string(bytes.size()) + " bytes");
  if (column.role != Role::id) return text(column, made_.emplace_back(uuid_text(bytes)));
  message::Id id{};
  std::memcpy(id.data(), bytes.data(), id.size());
  builder_.set_id(id);
  has_id_ = true;
  return {};
}

Result<std::int64_t> ContrailCells::read(std::span<const driver::Cell> row) {
  builder_.start();
  made_.clear();
  text_ = bad_name_ = {};
  time_us_ = 0;
  objects_ = 0;
  has_slot_ = has_offset_ = has_time_ = has_id_ = false;
  for (std::size_t i = 0; i < layout_.columns.size() && i < row.size(); ++i) {
    VARVE_RETURN_IF_ERROR(cell(layout_.columns[i], row[i]));
  }
  if (!has_id_) return fail(Code::corrupt, "it has no UUID");
  if (!has_time_ && !(has_slot_ && has_offset_)) return fail(Code::corrupt, "it has no time");
  if (has_slot_) time_us_ += slot_ << kOffsetBits;
  if (objects_ == kObjectCells) add_objects_of_text();
  return time_us_;
}

}  // namespace varve::migrate
