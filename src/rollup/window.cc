// SPDX-License-Identifier: Apache-2.0
#include "rollup/window.h"

#include <algorithm>
#include <cmath>

namespace varve::rollup {

void combine(Window& into, const Window& from) {
  if (from.count == 0) return;
  if (into.count == 0) {
    const model::Timestamp start = into.start;
    into = from;
    into.start = start;
    return;
  }
  into.sum += from.sum;
  if (from.min < into.min || std::isnan(from.min)) into.min = from.min;
  if (from.max > into.max || std::isnan(from.max)) into.max = from.max;
  into.count += from.count;
  into.first_time = std::min(into.first_time, from.first_time);
  if (from.last_time >= into.last_time) {
    into.last_time = from.last_time;
    into.last = from.last;
    into.last_type = from.last_type;
  }
}

void coarsen(const Windows& finer, std::int64_t width_ms, Windows& out) {
  for (const Window& window : finer) {
    if (!out.empty() && window.start < out.back().start + width_ms) {
      combine(out.back(), window);
    } else {
      out.push_back(window);
      out.back().start = model::window_start(window.start, width_ms);
    }
  }
}

Windows merged(const Windows& a, const Windows& b) {
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
      combine(out.back(), *y++);
    }
  }
  return out;
}

}  // namespace varve::rollup
