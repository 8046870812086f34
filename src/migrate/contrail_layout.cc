// SPDX-License-Identifier: Apache-2.0
#include "migrate/contrail_layout.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <ranges>

namespace varve::migrate {
namespace {

using message::Column;
using Role = ContrailColumn::Role;

struct Known {
  std::string_view name;
  Role role;
  Column column{};
};

constexpr std::array kV2 = {
    Known{"key", Role::slot},
    Known{"column1", Role::offset},
    Known{"column2", Role::id},
    Known{"column3", Role::column, Column::source},
    Known{"column4", Role::column, Column::type},
    Known{"column5", Role::column, Column::module},
    Known{"column6", Role::object},
    Known{"column7", Role::object},
    Known{"column8", Role::object},
    Known{"column9", Role::object},
    Known{"column10", Role::object},
    Known{"column11", Role::object},
    Known{"column12", Role::column, Column::ip},
    Known{"column13", Role::column, Column::pid},
    Known{"column14", Role::column, Column::category},
    Known{"column15", Role::column, Column::level},
    Known{"column16", Role::column, Column::node_type},
    Known{"column17", Role::column, Column::instance},
    Known{"column18", Role::column, Column::sequence},
    Known{"column19", Role::column, Column::kind},
    Known{"value", Role::column, Column::text},
};

// Some clients have made the tables without quotes, and then names are in lower case.
bool same_name(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, {}, [](unsigned char c) { return std::tolower(c); }, [](unsigned char c) { return std::tolower(c); });
}

std::optional<CellForm> form_of(std::string_view type) {
  constexpr std::array kTexts = {"text", "ascii", "varchar", "blob"};
  constexpr std::array kIntegers = {"int", "bigint", "smallint", "tinyint", "varint", "counter"};
  if (std::ranges::find(kTexts, type) != kTexts.end()) return CellForm::text;
  if (std::ranges::find(kIntegers, type) != kIntegers.end()) return CellForm::integer;
  if (type == "uuid" || type == "timeuuid") return CellForm::uuid;
  if (type == "inet") return CellForm::inet;
  return std::nullopt;
}

// Adds the column, if its type is one of those that are read.
void add(ContrailLayout& layout, const ColumnInfo& info, Known known) {
  if (const auto form = form_of(info.type)) {
    layout.columns.push_back({info.name, *form, known.role, known.column});
  } else {
    layout.left.push_back(info.name);
  }
}

Status need(const ContrailLayout& layout, Role role, CellForm form, std::string_view what) {
  const auto found = std::ranges::find(layout.columns, role, &ContrailColumn::role);
  if (found != layout.columns.end() && found->form == form) return {};
  return fail(Code::unsupported, "it has no column " + std::string(what));
}

std::string quoted(std::string_view name) { return "\"" + std::string(name) + "\""; }

}  // namespace

std::string ContrailLayout::names() const {
  std::string out;
  for (const auto& column : columns) out += (out.empty() ? "" : ", ") + quoted(column.name);
  return out;
}

Result<ContrailLayout> layout_of_v2(std::span<const ColumnInfo> table) {
  ContrailLayout layout;
  for (const auto& known : kV2) {
    const auto found = std::ranges::find(table, known.name, &ColumnInfo::name);
    if (found != table.end()) add(layout, *found, known);
  }
  for (const auto& info : table) {
    if (info.name != "key2" && std::ranges::find(kV2, info.name, &Known::name) == kV2.end())
      add(layout, info, {info.name, Role::field});
  }
  VARVE_RETURN_IF_ERROR(need(layout, Role::slot, CellForm::integer, "key of integers"));
  VARVE_RETURN_IF_ERROR(need(layout, Role::offset, CellForm::integer, "column1 of integers"));
  VARVE_RETURN_IF_ERROR(need(layout, Role::id, CellForm::uuid, "column2 of UUIDs"));
  return layout;
}

Result<ContrailLayout> layout_of_v1(std::span<const ColumnInfo> table) {
  ContrailLayout layout;
  for (const auto& info : table) {
    const auto column = std::ranges::find_if(message::kColumnNames,
                                             [&](const auto& name) { return same_name(name.contrail, info.name); });
    if (info.name == "key") {
      add(layout, info, {info.name, Role::id});
    } else if (column == message::kColumnNames.end() || column->column == Column::object) {
      add(layout, info, {info.name, Role::field});
    } else {
      add(layout, info, {info.name, column->column == Column::time ? Role::time : Role::column, column->column});
    }
  }
  VARVE_RETURN_IF_ERROR(need(layout, Role::id, CellForm::uuid, "key of UUIDs"));
  VARVE_RETURN_IF_ERROR(need(layout, Role::time, CellForm::integer, "MessageTS of integers"));
  return layout;
}

Result<ObjectColumns> object_columns(std::span<const ColumnInfo> table) {
  ObjectColumns out;
  const auto text = [&](std::string_view name) {
    const auto found = std::ranges::find(table, name, &ColumnInfo::name);
    return found != table.end() && form_of(found->type) == CellForm::text ? std::string(name) : std::string();
  };
  out.type = text("key3");
  out.value = text("column1");
  const auto uuid =
      std::ranges::find_if(table, [](const ColumnInfo& info) { return form_of(info.type) == CellForm::uuid; });
  if (uuid != table.end()) {
    out.id = uuid->name;
  } else {
    out.id = text("value");
    out.id_is_text = true;
  }
  if (!out.type.empty() && !out.value.empty() && !out.id.empty()) return out;
  return fail(Code::unsupported, "it has no key3, column1 and UUID of a message");
}

std::string key_of(std::span<const ColumnInfo> table, std::string_view function) {
  std::vector<const ColumnInfo*> key;
  for (const auto& info : table) {
    if (info.key_position >= 0) key.push_back(&info);
  }
  std::ranges::sort(key, {}, &ColumnInfo::key_position);
  std::string out;
  for (const auto* info : key) out += (out.empty() ? "" : ", ") + quoted(info->name);
  return function.empty() ? out : std::string(function) + "(" + out + ")";
}

}  // namespace varve::migrate
