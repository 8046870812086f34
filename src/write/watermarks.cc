// SPDX-License-Identifier: Apache-2.0
#include "write/watermarks.h"

#include <algorithm>

namespace varve::write {

Watermarks::Watermarks(const std::vector<Watermark>& marks) {
  for (const Watermark& mark : marks) marks_.emplace_back(mark);
}

int Watermarks::update(double percent) {
  int dropped = kNothing;
  for (Mark& mark : marks_) {
    const bool held = mark.holds.load(std::memory_order_relaxed);
    const bool holds = percent >= (held ? mark.mark.low : mark.mark.high);
    if (holds != held) mark.holds.store(holds, std::memory_order_relaxed);
    if (holds) dropped = std::min(dropped, mark.mark.level);
  }
  return dropped;
}

}  // namespace varve::write
