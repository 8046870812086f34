// SPDX-License-Identifier: Apache-2.0
#include "aggregate/gaps.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "aggregate/windows.h"

namespace varve::aggregate {

namespace {

// Windows without a sample, as [first, last): they stand in front of the sample at that position.
struct Gap {
  std::size_t position;
  std::int64_t first;
  std::int64_t last;
};

Result<std::vector<Gap>> gaps_of(const Gaps& gaps, const Windows& windows, const Scope& scope, const Points& in) {
  std::vector<Gap> out;
  std::int64_t expected = windows.index(scope.start);
  if (gaps.trim) expected = in.size() == 0 ? expected : windows.index(in.times[0]);
  Pace pace;
  for (std::size_t i = 0; i < in.size();) {
    VARVE_RETURN_IF_ERROR(pace.step(scope.charge));
    const std::int64_t window = windows.index(in.times[i]);
    if (window > expected) out.push_back({i, expected, window});
    const model::Timestamp end = windows.start(window + 1);
    while (i < in.size() && in.times[i] < end) ++i;
    expected = window + 1;
  }
  if (gaps.trim || scope.until < scope.start) return out;
  const std::int64_t last = windows.index(scope.until);
  if (last >= expected) out.push_back({in.size(), expected, last + 1});
  return out;
}

}  // namespace

Result<Points> apply(const Gaps& gaps, const Scope& scope, Points in) {
  const Windows windows = windows_of(gaps, scope.start);
  VARVE_ASSIGN_OR_RETURN(const std::vector<Gap> found, gaps_of(gaps, windows, scope, in));
  std::size_t nulls = 0;
  for (const Gap& gap : found) nulls += static_cast<std::size_t>(gap.last - gap.first);
  if (nulls == 0) return in;
  const bool text = in.in_text();
  constexpr std::size_t kNullBytes = sizeof(model::Timestamp) + sizeof(std::uint64_t) + 2;
  const std::size_t bytes = kNullBytes + (text ? sizeof(std::string) : 0);
  if (scope.charge) VARVE_RETURN_IF_ERROR(scope.charge(nulls > SIZE_MAX / bytes ? SIZE_MAX / 2 : nulls * bytes));

  Points out;
  out.type = in.type;
  out.times.reserve(in.size() + nulls);
  if (text) out.texts.reserve(in.size() + nulls);
  if (!text) out.bits.reserve(in.size() + nulls);
  if (!in.types.empty()) out.types.reserve(in.size() + nulls);
  out.nulls.reserve(in.size() + nulls);
  std::size_t i = 0;
  const auto copy_until = [&](std::size_t end) {
    const auto from = static_cast<std::ptrdiff_t>(i);
    const auto to = static_cast<std::ptrdiff_t>(end);
    const auto append = [&](auto& list, auto& more) {
      if (!more.empty())
        list.insert(list.end(), std::move_iterator(more.begin() + from), std::move_iterator(more.begin() + to));
    };
    append(out.times, in.times);
    append(out.bits, in.bits);
    append(out.texts, in.texts);
    append(out.types, in.types);
    append(out.nulls, in.nulls);
    append(out.originals, in.originals);
    out.nulls.resize(out.times.size());
    i = end;
  };
  Pace pace;
  for (const Gap& gap : found) {
    copy_until(gap.position);
    for (std::int64_t window = gap.first; window < gap.last; ++window) {
      VARVE_RETURN_IF_ERROR(pace.step(scope.charge));
      out.times.push_back(windows.start(window));
      out.nulls.push_back(1);
    }
    if (text) out.texts.resize(out.times.size());
    if (!text) out.bits.resize(out.times.size());
    if (!in.types.empty()) out.types.resize(out.times.size(), out.type);
    if (!in.originals.empty()) out.originals.resize(out.times.size());
  }
  copy_until(in.size());
  return out;
}

}  // namespace varve::aggregate
