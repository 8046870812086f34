// SPDX-License-Identifier: Apache-2.0
// Works that are done together, where one of them may be damaged, or too large for the store.
#pragma once

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "base/result.h"
#include "engine/cassandra/tables/refusal.h"

namespace varve::engine::cassandra {

// What `all` (of a span of works: Result<std::vector<Done>>, one for each) makes of the works. Where one of them is
// refused, it does each half by itself, so that only that one has a `status` that says so, and the others are done.
// Errors of servers are returned.
template <class Done, class Work, class All>
Result<std::vector<Done>> done_together_or_each(std::span<const Work> works, const All& all) {
  Result<std::vector<Done>> list = all(works);
  if (list || !is_of_data(list.error().code)) return list;
  if (works.size() <= 1) {
    std::vector<Done> refused(works.size());
    for (Done& one : refused) one.status = fail(list.error());
    return refused;
  }
  const std::size_t half = works.size() / 2;
  VARVE_ASSIGN_OR_RETURN(auto done, done_together_or_each<Done>(works.first(half), all));
  VARVE_ASSIGN_OR_RETURN(auto rest, done_together_or_each<Done>(works.subspan(half), all));
  std::ranges::move(rest, std::back_inserter(done));
  return done;
}

}  // namespace varve::engine::cassandra
