// SPDX-License-Identifier: Apache-2.0
// An XML text of Contrail on one line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace varve::logs {

enum class XmlForm : std::uint8_t {
  values,  // of system logs and traces: `v1 v2`
  named,   // of all others: `k1 = v1, k2 = [k3 = v3]`
};

// Of the elements inside the root, those with the names `file` and `line` left out. A text that is no XML, or is nested
// deeper than 64, stays as it is.
std::string xml_line(std::string_view text, XmlForm form);

}  // namespace varve::logs
