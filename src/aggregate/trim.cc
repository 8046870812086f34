// SPDX-License-Identifier: Apache-2.0
#include "aggregate/trim.h"

#include <utility>

namespace varve::aggregate {

Points apply(const Trim& trim, Points in) {
  const std::size_t from = trim.first ? 1 : 0;
  const std::size_t off = from + (trim.last ? 1 : 0);
  if (off == 0) return in;
  if (in.size() <= off) {
    Points none;
    none.type = in.type;
    return none;
  }
  const auto cut = [&](auto& list) {
    if (list.empty()) return;
    if (trim.last) list.pop_back();
    if (trim.first) list.erase(list.begin());
  };
  cut(in.times);
  cut(in.types);
  cut(in.bits);
  cut(in.texts);
  cut(in.nulls);
  cut(in.originals);
  return in;
}

}  // namespace varve::aggregate
