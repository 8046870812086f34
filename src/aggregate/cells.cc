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

// a + b = sum + rest exactly, as long as nothing overflows.
void add_exactly(Cell& into, double b) {
  const double a = into.value;
  const double sum = a + b;
  if (std::isfinite(sum)) [[likely]] {
    const double b_part = sum - a;
    into.rest += (a - (sum - b_part)) + (b - b_part);
  } else {
    into.rest = 0;
  }
  into.value = sum;
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

bool before(const Cell& a, const Cell& b) {
  if (a.time != b.time) return a.time < b.time;
  if (a.type == ValueType::long_ && b.type == ValueType::long_) {
    return std::bit_cast<std::int64_t>(a.bits) < std::bit_cast<std::int64_t>(b.bits);
  }
  return as_double(a.type, a.bits) < as_double(b.type, b.bits);
}

model::Timestamp stamp_of(const Stage& stage, const Windows& windows, const Cell& cell) {
  switch (stage.stamp) {
    case Stamp::window_start: return windows.start(cell.window);
    case Stamp::window_end: return windows.start(cell.window + 1);
    default: return cell.time;
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

void reduce(Function f, const Windows& windows, const Summaries& in, std::vector<Cell>& out) {
  model::Timestamp end = 0;  // of the last cell's window
  for (std::size_t i = 0; i < in.times.size(); ++i) {
    Cell cell;
    cell.time = in.times[i];
    cell.count = in.counts[i];
    cell.bits = in.values[i];
    if (i > 0 && cell.time < end) {
      combine(f, out.back(), cell);
      continue;
    }
    // They mostly follow one another: no division for that.
    const bool next = i > 0 && cell.time < windows.start(out.back().window + 2);
    cell.window = next ? out.back().window + 1 : windows.index(cell.time);
    end = windows.start(cell.window + 1);
    out.push_back(cell);
  }
}

void combine(Function f, Cell& into, const Cell& from) {
  if (f == Function::first || f == Function::last) {
    const std::uint64_t count = into.count + from.count;
    if (f == Function::first ? before(from, into) : before(into, from)) into = from;
    into.count = count;
    return;
  }
  into.time = std::min(into.time, from.time);
  into.count += from.count;
  switch (f) {
    case Function::avg:
    case Function::sum:
      add_exactly(into, from.value);
      into.rest += from.rest;
      break;
    // A NaN on either side stays: nothing is less than it.
    case Function::min:
      if (from.value < into.value || std::isnan(from.value)) into.value = from.value;
      break;
    case Function::max:
      if (from.value > into.value || std::isnan(from.value)) into.value = from.value;
      break;
    default: break;
  }
}

Points to_points(const Stage& stage, const Windows& windows, std::span<const Cell> cells) {
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
  for (const Cell& c : cells) {
    out.times.push_back(stamp_of(stage, windows, c));
    switch (f) {
      case Function::avg:
        out.bits.push_back(std::bit_cast<std::uint64_t>((c.value + c.rest) / static_cast<double>(c.count)));
        break;
      case Function::sum: out.bits.push_back(std::bit_cast<std::uint64_t>(c.value + c.rest)); break;
      case Function::min:
      case Function::max: out.bits.push_back(std::bit_cast<std::uint64_t>(c.value)); break;
      case Function::count: out.bits.push_back(c.count); break;
      case Function::first:
      case Function::last: out.bits.push_back(c.bits); break;
    }
  }
  return out;
}

void CellSet::add(Function f, std::span<const Cell> cells) {
  auto at = cells_.begin();
  for (const Cell& cell : cells) {
    if (cells_.empty() || cells_.back().window < cell.window) {
      cells_.push_back(cell);
      at = cells_.end() - 1;
      continue;
    }
    // Neighbours in time are mostly neighbours here.
    if (at->window != cell.window && (++at == cells_.end() || at->window != cell.window)) {
      at = std::ranges::lower_bound(cells_, cell.window, {}, &Cell::window);
    }
    if (at->window == cell.window) {
      combine(f, *at, cell);
    } else {
      late_.push_back(cell);
    }
  }
  // Amortized: each merge at least doubles what it reads, or empties a long list.
  if (late_.size() > 1024 && late_.size() > cells_.size() / 2) merge_late(f);
}

void CellSet::merge_late(Function f) {
  std::ranges::sort(late_, {}, &Cell::window);
  std::vector<Cell> merged;
  merged.reserve(cells_.size() + late_.size());
  const auto put = [&](const Cell& cell) {
    if (!merged.empty() && merged.back().window == cell.window) {
      combine(f, merged.back(), cell);
    } else {
      merged.push_back(cell);
    }
  };
  auto a = cells_.begin();
  auto b = late_.begin();
  while (a != cells_.end() || b != late_.end()) {
    if (b == late_.end() || (a != cells_.end() && a->window <= b->window)) {
      put(*a++);
    } else {
      put(*b++);
    }
  }
  cells_ = std::move(merged);
  late_.clear();
}

std::vector<Cell> CellSet::take(Function f) {
  if (!late_.empty()) merge_late(f);
  return std::move(cells_);
}

}  // namespace varve::aggregate
