// SPDX-License-Identifier: Apache-2.0
// A filter of OpenTSDB's as one line, for tests of what was understood.
#pragma once

#include "protocol/opentsdb/query.h"

namespace varve::protocol::testing {

inline std::string show(const opentsdb::Filter& filter) {
  std::string out = filter.key + (filter.group_by ? "==" : "=") + std::string(name_of(filter.type)) + "(";
  if (filter.values.empty()) out += filter.text;
  for (std::size_t i = 0; i < filter.values.size(); ++i) out.append(i == 0 ? "" : "|").append(filter.values[i]);
  return out + ")";
}

}  // namespace varve::protocol::testing
