// SPDX-License-Identifier: Apache-2.0
#include "language/logql/labels.h"

#include <algorithm>
#include <array>
#include <span>

#include "base/ascii.h"
#include "message/level.h"
#include "protocol/json/text.h"

namespace varve::language::logql {
namespace {

using message::Cell;
using message::Column;

constexpr CharSet kNameChars("_", true);
constexpr std::size_t kFewLabels = 16;

// The labels that a push takes a column from.
constexpr std::array<std::string_view, 4> kSourceLabels{"source", "host", "hostname", "instance"};
constexpr std::array<std::string_view, 5> kModuleLabels{"module", "app", "job", "service_name", "container"};
constexpr std::array<std::string_view, 3> kLevelLabels{"level", "severity", "detected_level"};

std::span<const std::string_view> labels_behind(Column column) {
  switch (column) {
    case Column::source: return kSourceLabels;
    case Column::module: return kModuleLabels;
    case Column::level: return kLevelLabels;
    default: return {};
  }
}

std::string_view text_of(const Cell& column) {
  return column.column == Column::level ? message::level_name(column.number) : column.text;
}

// By name, or as a number.
bool is_level(std::string_view text, std::int64_t level) {
  return message::level_of(text) == level || text == std::to_string(level);
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::optional<Column> label_column(std::string_view name) {
  for (const Column column : kLabelColumns) {
    if (message::name_of(column).key == name) return column;
  }
  return std::nullopt;
}

bool tells_pushed(std::string_view field) {
  const auto has = [&](std::span<const std::string_view> names) {
    return std::ranges::find(names, field) != names.end();
  };
  return has(kSourceLabels) || has(kModuleLabels) || has(kLevelLabels);
}

bool is_label_name(std::string_view name) {
  return !name.empty() && !is_digit(name[0]) &&
         std::ranges::all_of(name, [](char c) { return kNameChars.contains(c); });
}

std::string label_name_of(std::string_view name) {
  std::string out;
  if (name.empty() || is_digit(name[0])) out += '_';
  for (const char c : name) out += kNameChars.contains(c) ? c : '_';
  return out;
}

void Labels::read(message::RowView row) {
  time_ns_ = time_ns_of(row);
  line_ = {};
  columns_.clear();
  fields_.clear();
  labels_.clear();
  index_.clear();
  texts_.clear();
  read_cells(row);
  const bool pushed = is_pushed();
  const auto is_stream = [&](const Cell& field) {
    return pushed && field.form == message::FieldForm::text && is_label_name(field.name);
  };
  if (!pushed) {
    for (const Cell& column : columns_)
      add(Label::Origin::stream, message::name_of(column.column).key, text_of(column));
  }
  for (const Cell& field : fields_) {
    if (is_stream(field)) add(Label::Origin::stream, field.name, field.text);
  }
  for (const Cell& field : fields_) {
    if (is_stream(field)) continue;
    std::string_view name = is_label_name(field.name) ? field.name : keep(label_name_of(field.name));
    if (find(name) != labels_.size()) name = keep(std::string(name) + "_extracted");
    if (find(name) == labels_.size()) add(Label::Origin::metadata, name, field.text);
  }
}

void Labels::read_cells(message::RowView row) {
  message::CellReader cells = row.reader();
  for (Cell cell; cells.next(cell);) {
    if (cell.column == Column::text) line_ = cell.text;
    if (cell.column == Column::field) fields_.push_back(cell);
    const bool is_label = std::ranges::find(kLabelColumns, cell.column) != std::end(kLabelColumns);
    if (is_label && !text_of(cell).empty()) columns_.push_back(cell);
  }
}

bool Labels::says(const Cell& column) const {
  const auto names = labels_behind(column.column);
  return std::ranges::any_of(fields_, [&](const Cell& field) {
    if (std::ranges::find(names, field.name) == names.end()) return false;
    return column.column == Column::level ? is_level(field.text, column.number) : field.text == column.text;
  });
}

bool Labels::is_pushed() const {
  return std::ranges::all_of(columns_, [&](const Cell& column) { return says(column); });
}

std::size_t Labels::find(std::string_view name) const {
  if (labels_.size() <= kFewLabels) {
    return static_cast<std::size_t>(std::ranges::find(labels_, name, &Label::name) - labels_.begin());
  }
  for (std::size_t i = index_.size(); i < labels_.size(); ++i) index_.emplace(labels_[i].name, i);
  const auto found = index_.find(name);
  return found == index_.end() ? labels_.size() : found->second;
}

std::string_view Labels::get(std::string_view name) const {
  const std::size_t place = find(name);
  return place == labels_.size() ? std::string_view() : labels_[place].value;
}

void Labels::add(Label::Origin origin, std::string_view name, std::string_view value) {
  if (!value.empty()) labels_.push_back({origin, name, value});
}

void Labels::add_parsed(std::string_view name, std::string_view value) {
  std::size_t place = find(name);
  if (place != labels_.size() && labels_[place].origin != Label::Origin::parsed) {
    name = keep(std::string(name) + "_extracted");
    place = find(name);
  }
  if (value.empty()) return;
  if (place == labels_.size()) return add(Label::Origin::parsed, name, value);
  if (labels_[place].origin == Label::Origin::parsed) labels_[place].value = value;
}

void Labels::set_error(std::string_view kind, std::string_view details) {
  add_parsed(kError, kind);
  add_parsed(kErrorDetails, details);
}

void Labels::sort() {
  std::ranges::sort(labels_, {}, &Label::name);
  index_.clear();
}

void append_labels(std::string& out, const std::vector<Label>& labels) {
  out += '{';
  for (const Label& label : labels) {
    if (out.back() != '{') out += ", ";
    out += label.name;
    out += '=';
    protocol::json::append_string(out, label.value);
  }
  out += '}';
}

}  // namespace varve::language::logql
