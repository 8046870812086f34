// SPDX-License-Identifier: Apache-2.0
#include "message/classes.h"

#include <algorithm>
#include <optional>

#include "base/check.h"
#include "codec/hash.h"
#include "message/level.h"

namespace varve::message {
namespace {

bool fits_text(const ClassRule& rule, std::string_view text) {
  return rule.is_prefix ? text.starts_with(rule.value) : text == rule.value;
}

bool fits(const ClassRule& rule, RowView row) {
  if (rule.column != Column::object) {
    const auto cell = row.cell(rule.column);
    if (!cell) return false;
    return is_integer(rule.column) ? cell->number == rule.number : fits_text(rule, cell->text);
  }
  CellReader cells = row.reader();
  for (Cell cell; cells.next(cell) && cell.column <= Column::object;) {
    if (cell.column == Column::object && fits_text(rule, cell.text)) return true;
  }
  return false;
}

std::optional<std::int64_t> whole(std::string_view text) {
  if (text.empty() || text.size() > 9 || !std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; })) {
    return std::nullopt;
  }
  std::int64_t value = 0;
  for (const char c : text) value = value * 10 + (c - '0');
  return value;
}

}  // namespace

ClassId class_id_of(std::string_view name) {
  constexpr std::uint64_t kBits = (std::uint64_t{1} << 62) - 1;
  const std::uint64_t hash = codec::murmur3_128(name)[0] & kBits;
  return ClassId{std::max<std::uint64_t>(hash, 1)};
}

Status read_class_condition(std::string_view text, ClassRule& rule) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) return fail(Code::invalid, "is not NAME:RETENTION:COLUMN=VALUE");
  const std::string_view name = text.substr(0, equals);
  const ColumnName* const column = column_of(name);
  const bool takes = column != nullptr && column->column != Column::text && column->column != Column::time &&
                     column->column != Column::id && column->column != Column::pid &&
                     column->column != Column::sequence;
  if (!takes) {
    return fail(Code::invalid,
                "needs a column: source, module, type, node_type, instance, category, ip, level, kind "
                "or objects, not '" +
                    std::string(name) + "'");
  }
  rule.column = column->column;
  rule.value = text.substr(equals + 1);
  rule.is_prefix = !is_integer(rule.column) && rule.value.ends_with('*');
  if (rule.is_prefix) rule.value.pop_back();
  if (rule.value.empty()) return fail(Code::invalid, "needs a value behind the column");
  if (!is_integer(rule.column)) return {};
  std::optional<std::int64_t> number = whole(rule.value);
  if (!number && rule.column == Column::level) number = level_of(rule.value);
  if (!number && rule.column == Column::kind) number = kind_of(rule.value);
  if (!number) return fail(Code::invalid, "needs a number or the name of one, not '" + rule.value + "'");
  rule.number = *number;
  return {};
}

Classes::Classes(std::vector<ClassRule> rules, std::int64_t default_retention_ms)
    : default_ms_(default_retention_ms), longest_ms_(default_retention_ms), shortest_ms_(default_retention_ms) {
  for (ClassRule& rule : rules) {
    longest_ms_ = std::max(longest_ms_, rule.retention_ms);
    shortest_ms_ = std::min(shortest_ms_, rule.retention_ms);
    const ClassId id = class_id_of(rule.name);
    for (const Rule& other : rules_) {
      check(other.id != id || other.rule.retention_ms == rule.retention_ms, "a class has one retention");
    }
    rules_.push_back({std::move(rule), id});
  }
}

ClassId Classes::of(RowView row) const {
  for (const Rule& rule : rules_) {
    if (fits(rule.rule, row)) return rule.id;
  }
  return kDefaultClass;
}

std::int64_t Classes::retention_ms(ClassId id) const {
  const auto found = std::ranges::find(rules_, id, &Rule::id);
  return found == rules_.end() ? default_ms_ : found->rule.retention_ms;
}

std::string_view Classes::name(ClassId id) const {
  const auto found = std::ranges::find(rules_, id, &Rule::id);
  return found == rules_.end() ? std::string_view() : std::string_view(found->rule.name);
}

}  // namespace varve::message
