// SPDX-License-Identifier: Apache-2.0
#include "aggregate/cell_set.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

namespace varve::aggregate {

namespace {

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

// Two parts' means and squares around them, into those of the whole.
void add_deviation(Cell& into, const Cell& from) {
  const auto a = static_cast<double>(into.count);
  const auto b = static_cast<double>(from.count);
  const double apart = from.value - into.value;
  into.value += apart * (b / (a + b));
  into.rest += from.rest + apart * apart * (a * b / (a + b));
  into.count += from.count;
}

bool before(const Cell& a, const Cell& b) {
  if (a.time != b.time) return a.time < b.time;
  if (a.type == model::ValueType::long_ && b.type == model::ValueType::long_) {
    return std::bit_cast<std::int64_t>(a.bits) < std::bit_cast<std::int64_t>(b.bits);
  }
  return as_double(a.type, a.bits) < as_double(b.type, b.bits);
}

// Adds `from` to `into`. A function that is known when this is compiled costs nothing.
template <Function f>
void combine_as(Cell& into, const Cell& from) {
  if (f == Function::first || f == Function::last) {
    const std::uint64_t count = into.count + from.count;
    if (f == Function::first ? before(from, into) : before(into, from)) into = from;
    into.count = count;
    return;
  }
  into.time = std::min(into.time, from.time);
  if (f == Function::dev) return add_deviation(into, from);
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

// Calls what(f) with f as a constant.
template <class What>
void with(Function f, const What& what) {
  switch (f) {
    case Function::avg: return what(std::integral_constant<Function, Function::avg>{});
    case Function::sum: return what(std::integral_constant<Function, Function::sum>{});
    case Function::min: return what(std::integral_constant<Function, Function::min>{});
    case Function::max: return what(std::integral_constant<Function, Function::max>{});
    case Function::count: return what(std::integral_constant<Function, Function::count>{});
    case Function::first: return what(std::integral_constant<Function, Function::first>{});
    case Function::last: return what(std::integral_constant<Function, Function::last>{});
    case Function::dev: return what(std::integral_constant<Function, Function::dev>{});
  }
}

// The windows of times that ascend. They mostly follow one another: no division for that.
class Walk {
 public:
  explicit Walk(const Windows& windows) : windows_(windows) {}
  std::int64_t to(model::Timestamp time) {
    if (time >= end_) {
      number_ = time < after_ ? number_ + 1 : windows_.index(time);
      end_ = windows_.start(number_ + 1);
      after_ = windows_.start(number_ + 2);
    }
    return number_;
  }

 private:
  const Windows& windows_;
  std::int64_t number_ = 0;
  model::Timestamp end_ = std::numeric_limits<model::Timestamp>::min();    // of this window
  model::Timestamp after_ = std::numeric_limits<model::Timestamp>::min();  // of the next one
};

}  // namespace

// Adds ascending cells, one after the other.
class CellSet::Adder {
 public:
  explicit Adder(CellSet& set) : set_(set), at_(set.cells_.begin()) {}

  template <Function f>
  void add(const Cell& cell) {
    auto& cells = set_.cells_;
    if (cells.empty() || cells.back().window < cell.window) {
      cells.push_back(cell);
      at_ = cells.end() - 1;
      return;
    }
    // Neighbours in time are mostly neighbours here.
    if (at_->window != cell.window && (++at_ == cells.end() || at_->window != cell.window)) {
      at_ = std::ranges::lower_bound(cells, cell.window, {}, &Cell::window);
    }
    if (at_->window == cell.window) {
      combine_as<f>(*at_, cell);
    } else {
      set_.late_.push_back(cell);
    }
  }

 private:
  CellSet& set_;
  std::vector<Cell>::iterator at_;
};

void CellSet::add(Function f, std::span<const Cell> cells) {
  reserve_some(cells.size());
  with(f, [&](auto as) {
    Adder adder(*this);
    for (const Cell& cell : cells) adder.add<as>(cell);
  });
  merge_many_late(f);
}

// Most answers are of some windows for each of many groups.
void CellSet::reserve_some(std::size_t cells) {
  constexpr std::size_t kSome = 16;
  if (cells_.capacity() == 0) cells_.reserve(std::min(cells, kSome));
}

void CellSet::add(Function f, const Windows& windows, const Summaries& in) {
  reserve_some(in.times.size());
  with(f, [&](auto as) {
    Adder adder(*this);
    Walk walk(windows);
    for (std::size_t i = 0; i < in.times.size(); ++i) {
      Cell cell;
      cell.window = walk.to(in.times[i]);
      cell.time = in.times[i];
      cell.count = in.counts[i];
      cell.bits = in.values[i];
      adder.add<as>(cell);
    }
  });
  merge_many_late(f);
}

// Amortized: each merge at least doubles what it reads, or empties a long list.
void CellSet::merge_many_late(Function f) {
  if (late_.size() > 1024 && late_.size() > cells_.size() / 2) merge_late(f);
}

void CellSet::merge_late(Function f) {
  std::ranges::sort(late_, {}, &Cell::window);
  std::vector<Cell> merged;
  merged.reserve(cells_.size() + late_.size());
  const auto put = [&](const Cell& cell) {
    if (!merged.empty() && merged.back().window == cell.window) {
      with(f, [&](auto as) { combine_as<as>(merged.back(), cell); });
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
