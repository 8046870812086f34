// SPDX-License-Identifier: Apache-2.0
#include "language/analytics/rows.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "message/id.h"
#include "message/matches.h"
#include "protocol/json/number_text.h"
#include "protocol/json/text.h"

namespace varve::language::analytics {
namespace {

using message::Cell;
using message::Column;
using Of = Selected::Of;

constexpr std::uint32_t bit_of(Column column) { return 1U << static_cast<unsigned>(column); }

Column needed_for(const Selected& selected) {
  switch (selected.of) {
    case Of::column: return selected.column == Column::time ? Column::source : selected.column;
    case Of::field:
    case Of::fields: return Column::field;
    case Of::object_log:
    case Of::system_log: return Column::text;
    case Of::object_id:
    case Of::window:
    case Of::count:
    case Of::table_column:
    case Of::value: break;
  }
  return Column::source;
}

bool ask_fulfilled(const Ask& ask, message::RowView row, std::string_view id) {
  if (ask.of != Ask::Of::object_id) return message::matches(ask.condition, row);
  return message::cell_fulfils(ask.term, id) != message::negates(ask.term.op);
}

bool groups_fulfilled(const Groups& groups, message::RowView row, std::string_view id) {
  const auto all = [&](const std::vector<Ask>& group) {
    return std::ranges::all_of(group, [&](const Ask& ask) { return ask_fulfilled(ask, row, id); });
  };
  return groups.empty() || std::ranges::any_of(groups, all);
}

Value value_of_field(const Cell& field) {
  switch (field.form) {
    case message::FieldForm::text:
    case message::FieldForm::metadata: return Value::of(field.text);
    case message::FieldForm::number: return Value::of(field.text, Value::Form::digits);
    case message::FieldForm::json: return Value::of(field.text, Value::Form::json);
  }
  return {};
}

bool is_object_kind(std::int64_t kind) { return kind == 6 || kind == 7 || kind == 11; }

}  // namespace

bool row_fulfils(const AnalyticsQuery& query, message::RowView row, std::string_view id) {
  return !query.asks_of_id || (groups_fulfilled(query.where, row, id) && groups_fulfilled(query.filter, row, id));
}

std::int64_t window_start(std::int64_t time_us, std::int64_t width_us) {
  const std::int64_t into = time_us % width_us;
  return time_us - into - (into < 0 ? width_us : 0);
}

MessageRows::MessageRows(const AnalyticsQuery& query) : query_(query) {
  check(query.table.kind != TableKind::stat, "rows of messages");
  if (query.table.kind == TableKind::object) {
    type_ = query.table.name + ":";
    last_ = Column::object;
  }
  std::string_view before = "{";
  for (const Selected& selected : query.select) {
    std::string& key = keys_.emplace_back();
    if (selected.of == Of::count) continue;
    if (selected.of == Of::fields) {
      all_fields_ = true;
      last_ = std::max(last_, Column::field);
      continue;
    }
    key = std::exchange(before, ",");
    protocol::json::append_string(key, selected.name);
    key += ':';
    last_ = std::max(last_, needed_for(selected));
    needs_id_ |= selected.of == Of::column && selected.column == Column::id;
  }
}

std::size_t MessageRows::read(message::RowView row) {
  row_ = row;
  read_cells();
  if (needs_id_) {
    const message::Id id = message::id_of(row);
    id_ = uuid_text({id.data(), id.size()});
  }
  ids_.clear();
  if (query_.table.kind == TableKind::log) return 1;
  read_ids();
  return ids_.size();
}

void MessageRows::read_cells() {
  has_ = 0;
  fields_.clear();
  names_.clear();
  message::CellReader cells = row_.reader();
  for (Cell cell; cells.next(cell) && cell.column <= last_;) {
    if (cell.column == Column::object) {
      names_.push_back(cell.text);
    } else if (cell.column != Column::field) {
      cells_[static_cast<std::size_t>(cell.column)] = cell;
    } else if (all_fields_ || is_selected(cell.name)) {
      fields_.push_back(cell);
    }
    has_ |= bit_of(cell.column);
  }
}

void MessageRows::read_ids() {
  for (const std::string_view name : names_) {
    if (!name.starts_with(type_)) continue;
    const std::string_view id = name.substr(type_.size());
    if (row_fulfils(query_, row_, id)) ids_.push_back(id);
  }
}

Value MessageRows::column_value(Column column) const {
  if (column == Column::time) return Value::of(row_.time_us());
  if (column == Column::id) return Value::of(id_);
  if ((has_ & bit_of(column)) == 0) return {};
  if (column == Column::object) return {Value::Form::names, 0, {}, &names_};
  const Cell& cell = cells_[static_cast<std::size_t>(column)];
  if (message::is_integer(column)) return Value::of(cell.number);
  return Value::of(cell.text, column == Column::ip ? Value::Form::address : Value::Form::text);
}

bool MessageRows::is_selected(std::string_view name) const {
  return std::ranges::find(query_.select, name, &Selected::name) != query_.select.end();
}

Value MessageRows::field_value(const Selected& selected) const {
  const auto found = std::ranges::find(fields_, std::string_view(selected.name), &Cell::name);
  return found == fields_.end() ? Value() : value_of_field(*found);
}

Value MessageRows::log_value(bool is_object_log) const {
  const Value kind = column_value(Column::kind);
  const bool is_object = kind.form == Value::Form::number && is_object_kind(kind.number);
  return is_object == is_object_log ? column_value(Column::text) : Value();
}

Value MessageRows::value(std::size_t i, const Selected& selected) const {
  switch (selected.of) {
    case Of::column: return column_value(selected.column);
    case Of::field: return field_value(selected);
    case Of::object_id: return Value::of(ids_[i]);
    case Of::object_log: return log_value(true);
    case Of::system_log: return log_value(false);
    case Of::window: return Value::of(window_start(row_.time_us(), selected.window_us));
    case Of::fields:
    case Of::count:
    case Of::table_column:
    case Of::value: break;
  }
  return {};
}

void MessageRows::append_group(std::string& out, std::size_t i) const {
  const std::size_t before = out.size();
  for (std::size_t k = 0; k < keys_.size(); ++k) {
    if (keys_[k].empty()) continue;
    out += keys_[k];
    append_value(out, value(i, query_.select[k]));
  }
  if (out.size() == before) out += '{';
}

void MessageRows::append_json(std::string& out, std::size_t i) const {
  append_group(out, i);
  if (all_fields_) append_fields(out);
  out += '}';
}

// But those that are selected by name: no name stands in a row twice.
void MessageRows::append_fields(std::string& out) const {
  for (const Cell& field : fields_) {
    if (is_selected(field.name)) continue;
    if (out.back() != '{') out += ',';
    protocol::json::append_string(out, field.name);
    out += ':';
    append_value(out, value_of_field(field));
  }
}

void finish_group(std::string& group, std::uint64_t count) {
  group += group == "{" ? "\"count\":" : ",\"count\":";
  protocol::json::append_unsigned(group, count);
  group += '}';
}

}  // namespace varve::language::analytics
