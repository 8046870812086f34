// SPDX-License-Identifier: Apache-2.0
#include "aggregate/counter_stage.h"

#include <limits>

namespace varve::aggregate {

namespace {

using model::ValueType;

// Without nulls, and of equal times the last.
Points unique(Points in) {
  in = without_nulls(std::move(in));
  std::vector<std::uint8_t> kept(in.size(), 1);
  for (std::size_t i = 1; i < in.size(); ++i) kept[i - 1] = in.times[i - 1] != in.times[i] ? 1 : 0;
  return keep(std::move(in), kept);
}

}  // namespace

Status count(const counter::Evidence& evidence, counter::LastSample& last, const Points& in, model::TimeRange range,
             const Windows& windows, const Charge& charge, GrowthCells& out) {
  Status status;
  const auto put = [&](const auto& interval) {
    if (status) status = out.add(interval, range, windows, charge);
  };
  for (std::size_t from = 0; from < in.size() && status;) {
    const ValueType type = in.type_of(from);
    std::size_t to = from + 1;
    while (to < in.size() && in.type_of(to) == type) ++to;
    const auto part = [&](const auto& column) { return std::span(column).subspan(from, to - from); };
    counter::walk(evidence, last, type, part(in.times), part(in.bits), put);
    from = to;
  }
  return status;
}

Result<Points> apply(const CounterStage& stage, const Scope& scope, Points in) {
  const Windows windows = windows_of(stage, scope.start);
  GrowthCells cells;
  const counter::Evidence evidence{counter::rules_of(stage.options, std::nullopt), {}, {}};
  counter::LastSample last;
  VARVE_RETURN_IF_ERROR(count(evidence, last, unique(std::move(in)), {}, windows, scope.charge, cells));
  GrowthTotals totals(stage.per_second);
  totals.add(cells.cells());
  return to_points(stage, windows, totals, scope.charge);
}

Result<Points> to_points(const CounterStage& stage, const Windows& windows, const GrowthTotals& totals,
                         const Charge& charge) {
  constexpr auto kLongMax = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  Points out;
  out.type = stage.per_second ? ValueType::double_ : ValueType::long_;
  Pace pace;
  for (const GrowthTotals::Total& total : totals.totals()) {
    VARVE_RETURN_IF_ERROR(pace.step(charge));
    if (stage.shows_coverage) out.covered_ms.push_back(total.covered_ms);
    const model::Timestamp at = windows.start(stage.stamp == Stamp::window_end ? total.window + 1 : total.window);
    if (!total.is_real && total.whole <= kLongMax) {
      out.push(at, ValueType::long_, total.whole);
    } else {
      out.push(at, ValueType::double_, std::bit_cast<std::uint64_t>(static_cast<double>(total.whole) + total.real));
    }
  }
  return out;
}

}  // namespace varve::aggregate
