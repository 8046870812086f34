// SPDX-License-Identifier: Apache-2.0
// Works that are done together, where one of them may be damaged.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "base/result.h"

namespace varve::engine::cassandra {

// What `all` (of a span of works: Result<std::vector<Done>>, one for each) makes of the works. Where it finds damage,
// it does each by itself, so that only the `status` of the damaged one is corrupt. Other errors are returned.
template <class Done, class Work, class All>
Result<std::vector<Done>> done_together_or_each(std::span<const Work> works, const All& all) {
  Result<std::vector<Done>> list = all(works);
  if (list || list.error().code != Code::corrupt) return list;
  std::vector<Done> each;
  if (works.size() == 1) {
    each.emplace_back().status = fail(std::move(list.error()));
    return each;
  }
  for (std::size_t w = 0; w < works.size(); ++w) {
    VARVE_ASSIGN_OR_RETURN(auto one, done_together_or_each<Done>(works.subspan(w, 1), all));
    each.push_back(std::move(one[0]));
  }
  return each;
}

}  // namespace varve::engine::cassandra
