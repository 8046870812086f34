// SPDX-License-Identifier: Apache-2.0
#include "aggregate/apply.h"

#include <algorithm>
#include <array>
#include <utility>

#include "aggregate/cell_set.h"
#include "aggregate/histograms.h"

namespace varve::aggregate {

namespace {

using model::ValueType;

// Columns are of one type, so points of mixed types are reduced run by run.
Result<Points> apply_to_numbers(const Stage& stage, const Windows& windows, const Points& in, const Charge& charge) {
  constexpr std::size_t kAtOnce = 65'536;
  CellSet set;
  std::vector<Cell> cells;
  Pace pace;
  const std::span times(in.times);
  const std::span bits(in.bits);
  for (std::size_t from = 0; from < in.size();) {
    const ValueType type = in.type_of(from);
    const std::size_t end = std::min(in.size(), from + kAtOnce);
    std::size_t to = in.types.empty() ? end : from + 1;
    while (to < end && in.types[to] == type) ++to;
    VARVE_RETURN_IF_ERROR(pace.step(charge, to - from));
    cells.clear();
    reduce(stage.function, windows, {type, times.subspan(from, to - from), bits.subspan(from, to - from)}, cells);
    set.add(stage.function, cells);
    from = to;
  }
  return to_points(stage, windows, set.take(stage.function), charge);
}

// Of texts, and of nulls (of gaps), which count and stand first or last as values do. Only count, first, last.
Result<Points> apply_to_any(const Stage& stage, const Windows& windows, Points& in, const Charge& charge) {
  const bool counts = stage.function == Function::count;
  Points out;
  out.type = counts ? ValueType::long_ : in.type;
  Pace pace;
  for (std::size_t from = 0; from < in.size();) {
    VARVE_RETURN_IF_ERROR(pace.step(charge));
    const std::int64_t window = windows.index(in.times[from]);
    const model::Timestamp end = windows.start(window + 1);
    std::size_t to = from + 1;
    while (to < in.size() && in.times[to] < end) ++to;
    const std::size_t chosen = stage.function == Function::last ? to - 1 : from;
    const model::Timestamp time = stamp_of(stage, windows, window, in.times[chosen]);
    if (counts) {
      out.push(time, ValueType::long_, to - from);
    } else if (in.in_text()) {
      out.times.push_back(time);
      out.texts.push_back(std::move(in.texts[chosen]));
      if (!in.originals.empty()) out.originals.push_back(in.originals[chosen]);
    } else {
      out.push(time, in.type_of(chosen), in.bits[chosen]);
    }
    if (!counts && !in.nulls.empty()) out.nulls.push_back(in.nulls[chosen]);
    from = to;
  }
  return out;
}

constexpr std::array<std::string_view, 8> kNames = {"avg", "sum", "min", "max", "count", "first", "last", "dev"};

}  // namespace

std::optional<Function> function_of(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name && name != "dev") return static_cast<Function>(i);
  }
  return std::nullopt;
}

std::string_view name_of(Function function) { return kNames[static_cast<std::size_t>(function)]; }

Result<Points> apply(const Stage& stage, const Scope& scope, Points in) {
  const Windows windows = windows_of(stage, scope.start);
  const bool whole = stage.function == Function::first || stage.function == Function::last;
  if (in.type == ValueType::histogram && !whole) return apply_to_histograms(stage, scope, std::move(in));
  const bool as_they_are = in.in_text() || !in.nulls.empty();
  if (as_they_are && takes_text(stage.function)) return apply_to_any(stage, windows, in, scope.charge);
  in = without_nulls(std::move(in));
  if (in.in_text()) return in;
  return apply_to_numbers(stage, windows, in, scope.charge);
}

}  // namespace varve::aggregate
