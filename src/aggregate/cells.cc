// SPDX-License-Identifier: Apache-2.0
#include "aggregate/cells.h"

#include <algorithm>
#include <cmath>

#include "aggregate/kernels.h"

namespace varve::aggregate {

namespace {

using model::ValueType;

// First position at or after `from` whose time is not before `until`. Gallops: windows of one sample cost one
// comparison, windows of thousands a dozen.
std::size_t run_end(std::span<const model::Timestamp> times, std::size_t from, model::Timestamp until) {
  std::size_t step = 1;
  std::size_t low = from;
  while (low + step < times.size() && times[low + step] < until) {
    low += step;
    step *= 2;
  }
  const auto high = std::min(low + step, times.size());
  const auto at = std::lower_bound(times.begin() + static_cast<std::ptrdiff_t>(low) + 1,
                                   times.begin() + static_cast<std::ptrdiff_t>(high), until);
  return static_cast<std::size_t>(at - times.begin());
}

void fill(Function f, const Column& column, std::size_t from, std::size_t to, Cell& cell) {
  const auto bits = column.bits.subspan(from, to - from);
  const bool longs = column.type == ValueType::long_;
  cell.time = column.times[from];
  cell.count = bits.size();
  switch (f) {
    case Function::avg:
    case Function::sum: cell.value = longs ? sum_of_longs(bits) : sum_of_doubles(bits); break;
    case Function::min: cell.value = longs ? static_cast<double>(min_of_longs(bits)) : min_of_doubles(bits); break;
    case Function::max: cell.value = longs ? static_cast<double>(max_of_longs(bits)) : max_of_doubles(bits); break;
    case Function::count: break;
    case Function::dev:
      cell.value = (longs ? sum_of_longs(bits) : sum_of_doubles(bits)) / static_cast<double>(bits.size());
      cell.rest = longs ? squares_of_longs(bits, cell.value) : squares_of_doubles(bits, cell.value);
      break;
    case Function::first:
      cell.bits = bits.front();
      cell.type = column.type;
      break;
    case Function::last:
      cell.time = column.times[to - 1];
      cell.bits = bits.back();
      cell.type = column.type;
      break;
  }
}

double deviation_of(const Deviation& how, const Cell& cell) {
  const double deviation = cell.count < 2 ? 0 : std::sqrt(cell.rest / static_cast<double>(cell.count - 1));
  switch (how.answer) {
    case Deviation::Answer::above: return cell.value + how.count * deviation;
    case Deviation::Answer::below: return cell.value - how.count * deviation;
    default: return deviation;
  }
}

}  // namespace

void reduce(Function f, const Windows& windows, const Column& column, std::vector<Cell>& out) {
  for (std::size_t from = 0; from < column.times.size();) {
    Cell& cell = out.emplace_back();
    cell.window = windows.index(column.times[from]);
    const model::Timestamp end = windows.start(cell.window + 1);
    const std::size_t to = column.times.back() < end ? column.times.size() : run_end(column.times, from, end);
    fill(f, column, from, to, cell);
    from = to;
  }
}

Result<Points> to_points(const Stage& stage, const Windows& windows, std::span<const Cell> cells,
                         const Charge& charge) {
  Points out;
  out.times.reserve(cells.size());
  out.bits.reserve(cells.size());
  const Function f = stage.function;
  out.type = f == Function::count ? ValueType::long_ : ValueType::double_;
  if ((f == Function::first || f == Function::last) && !cells.empty()) {
    out.type = cells[0].type;
    if (std::ranges::any_of(cells, [&](const Cell& c) { return c.type != out.type; })) {
      out.types.reserve(cells.size());
      for (const Cell& c : cells) out.types.push_back(c.type);
    }
  }
  Pace pace;
  for (const Cell& c : cells) {
    VARVE_RETURN_IF_ERROR(pace.step(charge));
    out.times.push_back(stamp_of(stage, windows, c.window, c.time));
    switch (f) {
      case Function::avg:
        out.bits.push_back(std::bit_cast<std::uint64_t>((c.value + c.rest) / static_cast<double>(c.count)));
        break;
      case Function::sum: out.bits.push_back(std::bit_cast<std::uint64_t>(c.value + c.rest)); break;
      case Function::min:
      case Function::max: out.bits.push_back(std::bit_cast<std::uint64_t>(c.value)); break;
      case Function::count: out.bits.push_back(c.count); break;
      case Function::dev: out.bits.push_back(std::bit_cast<std::uint64_t>(deviation_of(stage.deviation, c))); break;
      case Function::first:
      case Function::last: out.bits.push_back(c.bits); break;
    }
  }
  return out;
}

}  // namespace varve::aggregate
