// SPDX-License-Identifier: Apache-2.0
#include "rollup/window.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace varve::rollup {

namespace {

// All but `text`; both have samples.
void add_numbers(Window& into, const Window& from) {
  into.sum += from.sum;
  if (from.min < into.min || std::isnan(from.min)) into.min = from.min;
  if (from.max > into.max || std::isnan(from.max)) into.max = from.max;
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

}  // namespace

void combine(Window& into, const Window& from, TextPool& texts) {
  if (!both_have(into, from)) return;
  if (from.text != nullptr && into.text != nullptr) {
    TextSum sum;
    sum.add(*into.text, into.last_time);
    sum.add(*from.text, from.last_time);
    into.text = sum.take(texts);
  }
  add_numbers(into, from);
}

void coarsen(const Windows& finer, std::int64_t width_ms, Windows& out, TextPool& texts) {
  check(width_ms > 0, "a window has a width");
  TextSum sum;  // of the texts of the last window of `out`
  for (const Window& window : finer) {
    if (!out.empty() && window.start < out.back().start + width_ms) {
      if (both_have(out.back(), window)) add_numbers(out.back(), window);
    } else {
      if (!sum.empty()) out.back().text = sum.take(texts);
      out.push_back(window);
      out.back().start = model::window_start(window.start, width_ms);
    }
    if (window.count != 0 && window.text != nullptr) sum.add(*window.text, window.last_time);
  }
  if (!sum.empty()) out.back().text = sum.take(texts);
}

Windows merged(const Windows& a, const Windows& b, TextPool& texts) {
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
      combine(out.back(), *y++, texts);
    }
  }
  return out;
}

}  // namespace varve::rollup
