// SPDX-License-Identifier: Apache-2.0
#include "rollup/window.h"

#include <algorithm>

namespace varve::rollup {

void combine(Window& into, const Window& from) {
  into.sum += from.sum;
  into.min = std::min(into.min, from.min);
  into.max = std::max(into.max, from.max);
  into.count += from.count;
  into.first_time = std::min(into.first_time, from.first_time);
  if (from.last_time >= into.last_time) {
    into.last_time = from.last_time;
    into.last = from.last;
  }
}

void coarsen(const Windows& finer, std::int64_t width_ms, Windows& out) {
  for (const Window& window : finer) {
    const model::Timestamp start = model::window_start(window.start, width_ms);
    if (!out.empty() && out.back().start == start) {
      combine(out.back(), window);
    } else {
      out.push_back(window);
      out.back().start = start;
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
