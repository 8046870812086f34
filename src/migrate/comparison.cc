// SPDX-License-Identifier: Apache-2.0
#include "migrate/comparison.h"

#include <algorithm>
#include <bit>

#include "base/parallel.h"
#include "migrate/duplicates.h"

namespace varve::migrate {
namespace {

// Can two samples of a series have one time? They have two types, or are of the first versions.
bool may_repeat(const MetricCount& count) {
  return (count.types & 1U << static_cast<unsigned>(DataType::legacy)) != 0 || std::popcount(count.types) > 1;
}

}  // namespace

std::string describe(const Compared& c) {
  const auto n = [](std::uint64_t number) { return std::to_string(number); };
  std::string out =
      c.metric + ": KairosDB held " + n(c.found.cells - c.unchecked) + " samples, varve holds " + n(c.held);
  std::string_view before = ": ";
  const auto because = [&](std::uint64_t count, std::string_view why) {
    if (count == 0) return;
    out.append(before).append(n(count)).append(why);
    before = ", ";
  };
  because(c.duplicates, " at the time of another of the series that was written later, of another type");
  because(c.found.other, " of types that are not migrated");
  because(c.found.bad, " that are damaged or not taken");
  because(c.found.too_old, " older than what is kept of its series");
  const auto known = c.found.other + c.found.bad + c.found.too_old;
  const auto missing = static_cast<std::int64_t>(c.wanted() - known) - static_cast<std::int64_t>(c.held);
  if (missing < 0) because(static_cast<std::uint64_t>(-missing), " more in varve, written by somebody else");
  if (missing > 0) because(static_cast<std::uint64_t>(missing), " that are missing without a known reason");
  return out;
}

Result<std::vector<Compared>> compare(Copying& shared, const Totals& totals, model::Timestamp from, TaskPool& pool,
                                      std::size_t threads) {
  std::vector<Compared> all;
  for (const auto& [metric, found] : totals.metrics) {
    all.push_back({.metric = metric,
                   .found = found,
                   .unchecked = from == model::kTimestampMin ? 0 : found.old,
                   .others_write = shared.target.is_in_use()});
  }
  const auto count = [&] {
    return in_parallel(pool, threads - 1, all.size(), [&](std::size_t i) -> Status {
      const model::TimeRange range{.first = from, .last = std::max(from, all[i].found.last_ms) + 1};
      VARVE_ASSIGN_OR_RETURN(all[i].held, shared.target.held(all[i].metric, range, shared.stopping));
      return {};
    });
  };
  VARVE_RETURN_IF_ERROR(count());
  Duplicates::Types doubtful;
  for (const auto& c : all) {
    if (c.found.samples - c.unchecked != c.held && may_repeat(c.found)) doubtful[c.metric] = c.found.types;
  }
  if (doubtful.empty()) return all;
  VARVE_ASSIGN_OR_RETURN(const auto duplicates, Duplicates(shared, doubtful, from).resolve(pool, threads));
  for (auto& c : all) {
    if (const auto found = duplicates.find(c.metric); found != duplicates.end()) c.duplicates = found->second;
  }
  VARVE_RETURN_IF_ERROR(count());
  return all;
}

}  // namespace varve::migrate
