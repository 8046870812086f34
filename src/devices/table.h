// SPDX-License-Identifier: Apache-2.0
// Text in columns, for a terminal.
#pragma once

#include <string>
#include <vector>

namespace varve::devices {

// A line for each row, of printable() cells; each column as wide as its widest cell.
std::string table(std::vector<std::vector<std::string>> rows);

}  // namespace varve::devices
