// SPDX-License-Identifier: Apache-2.0
// Texts of strangers for a terminal, which control characters would tell to clear the screen, or to show lines that
// nobody wrote.
#pragma once

#include <string>
#include <string_view>

namespace varve {

enum class Newlines : unsigned char {
  escaped,  // the text stays on its line
  kept,     // the lines behind the first one are indented, so that none looks like one of the program's own
};

// With \x1b for the control characters of ASCII, \n and \r for those two, \u009b for those behind ASCII. Tabs stay.
std::string printable(std::string_view text, Newlines newlines = Newlines::escaped);

}  // namespace varve
