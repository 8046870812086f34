// SPDX-License-Identifier: Apache-2.0
#include "devices/table.h"

#include <algorithm>
#include <string_view>

#include "base/printable.h"

namespace varve::devices {
namespace {

// Whole characters, of which each is counted as one column.
std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

}  // namespace

std::string table(std::vector<std::vector<std::string>> rows) {
  std::vector<std::size_t> widths;
  for (auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) {
      row[i] = printable(row[i]);
      widths[i] = std::max(widths[i], columns_of(row[i]));
    }
  }
  std::string out;
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      out += row[i];
      if (i + 1 < row.size()) out.append(widths[i] - columns_of(row[i]) + 2, ' ');
    }
    out += '\n';
  }
  return out;
}

}  // namespace varve::devices
