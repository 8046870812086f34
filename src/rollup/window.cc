// SPDX-License-Identifier: Apache-2.0
#include "rollup/window.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

#include "base/check.h"
#include "rollup/counters.h"

namespace varve::rollup {

namespace {

// All but `text`; both have samples.
void add_numbers(Window& into, const Window& from) {
  into.sum += from.sum;
  // Which is less nobody can predict: without a branch. Unknown extremes stay unknown.
  into.min = from.min < into.min ? from.min : into.min;
  into.max = from.max > into.max ? from.max : into.max;
  if (std::isnan(from.min)) into.min = from.min;
  if (std::isnan(from.max)) into.max = from.max;
  into.count += from.count;
  into.first_time = std::min(into.first_time, from.first_time);
  into.last_time = std::max(into.last_time, from.last_time);
}

// Where `into` is empty it becomes `from`. Are both not?
bool both_have(Window& into, const Window& from) {
  if (from.count == 0) return false;
  if (into.count != 0) return true;
  const model::Timestamp start = into.start;
  into = from;
  into.start = start;
  return false;
}

// Both have samples.
void add_counter(Window& into, const Window& from, PartPool& parts) {
  if (into.counter == nullptr && from.counter == nullptr) return;
  CounterPart sum = into.counter == nullptr ? *from.counter : *into.counter;
  combine(sum, into.counter == nullptr ? nullptr : from.counter);
  into.counter = parts.add(sum);
}

// The same for many windows, one after the other.
class CounterSum {
 public:
  void start(const CounterPart* first) {
    sum_.reset();
    alone_ = first;
  }
  void add(const CounterPart* more) {
    if (!sum_ && alone_ == nullptr && more == nullptr) return;
    if (sum_) return combine(*sum_, more);
    sum_ = alone_ == nullptr ? *more : *alone_;
    combine(*sum_, alone_ == nullptr ? nullptr : more);
  }
  const CounterPart* take(PartPool& parts) { return sum_ ? parts.add(*sum_) : alone_; }

 private:
  const CounterPart* alone_ = nullptr;
  std::optional<CounterPart> sum_;  // of several
};

}  // namespace

void combine(Window& into, const Window& from, PartPool& parts) {
  if (!both_have(into, from)) return;
  if (from.text != nullptr && into.text != nullptr) {
    TextSum sum;
    sum.add(*into.text, into.last_time);
    sum.add(*from.text, from.last_time);
    into.text = sum.take(parts);
  }
  add_counter(into, from, parts);
  add_numbers(into, from);
}

namespace {

bool has_parts(const Window& window) { return window.text != nullptr || window.counter != nullptr; }

// The same for windows of gauges, which most are: without leaving the registers.
void coarsen_numbers(std::span<const Window> finer, Window& sum) {
  Window all = sum;
  for (const Window& window : finer) {
    if (both_have(all, window)) add_numbers(all, window);
  }
  sum = all;
}

void coarsen_parts(std::span<const Window> finer, Window& sum, PartPool& parts) {
  TextSum texts;
  CounterSum counters;
  counters.start(sum.counter);
  if (sum.count != 0 && sum.text != nullptr) texts.add(*sum.text, sum.last_time);
  for (const Window& window : finer) {
    if (both_have(sum, window)) {
      add_numbers(sum, window);
      counters.add(window.counter);
    } else if (window.count != 0) {
      counters.start(window.counter);
    }
    if (window.count != 0 && window.text != nullptr) texts.add(*window.text, window.last_time);
  }
  if (!texts.empty()) sum.text = texts.take(parts);
  sum.counter = counters.take(parts);
}

}  // namespace

void coarsen(const Windows& finer, std::int64_t width_ms, Windows& out, PartPool& parts) {
  check(width_ms > 0, "a window has a width");
  for (auto at = finer.begin(); at != finer.end();) {
    Window sum = *at;
    sum.start = model::window_start(at->start, width_ms);
    bool any_parts = has_parts(sum);
    const auto first = ++at;
    for (; at != finer.end() && at->start < sum.start + width_ms; ++at) any_parts = any_parts || has_parts(*at);
    const std::span<const Window> rest(first, at);
    any_parts ? coarsen_parts(rest, sum, parts) : coarsen_numbers(rest, sum);
    out.push_back(sum);
  }
}

void own_parts(Window& window, PartPool& parts) {
  window.text = parts.copy(window.text);
  if (window.counter != nullptr) window.counter = parts.add(*window.counter);
}

Windows merged(const Windows& a, const Windows& b, PartPool& parts) {
  Windows out;
  out.reserve(a.size() + b.size());
  auto x = a.begin();
  auto y = b.begin();
  while (x != a.end() || y != b.end()) {
    if (y == b.end() || (x != a.end() && x->start < y->start)) {
      out.push_back(*x++);
    } else if (x == a.end() || y->start < x->start) {
      out.push_back(*y++);
    } else {
      out.push_back(*x++);
      combine(out.back(), *y++, parts);
    }
  }
  return out;
}

}  // namespace varve::rollup
