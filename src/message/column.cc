// SPDX-License-Identifier: Apache-2.0
#include "message/column.h"

#include <algorithm>

#include "base/check.h"

namespace varve::message {

const ColumnName* column_of(std::string_view name) {
  if (name.empty()) return nullptr;
  const auto found =
      std::ranges::find_if(kColumnNames, [&](const ColumnName& c) { return c.key == name || c.contrail == name; });
  return found == kColumnNames.end() ? nullptr : &*found;
}

const ColumnName& name_of(Column column) {
  const auto* const found = std::ranges::find(kColumnNames, column, &ColumnName::column);
  check(found != kColumnNames.end(), "each column but free fields has a name");
  return *found;
}

}  // namespace varve::message
