// SPDX-License-Identifier: Apache-2.0
// Watermarks: which messages are dropped while a gauge is high. Each mark begins at its high percentage and holds until
// the gauge is below the low one, so a gauge that stands at an edge does not switch with every request.
#pragma once

#include <atomic>
#include <deque>
#include <vector>

namespace varve::write {

// At `high` percent messages of this level (syslog's severity), and less severe ones, are dropped; until below `low`.
struct Watermark {
  unsigned high = 100;
  unsigned low = 100;
  int level = 7;
  bool operator==(const Watermark&) const = default;
};

// Thread-safe. Of two threads that tell different percentages at once either may count.
class Watermarks {
 public:
  static constexpr int kNothing = 1000;  // beyond every level

  explicit Watermarks(const std::vector<Watermark>& marks);

  // The gauge says so now; returns the most severe level that is dropped, or kNothing.
  int update(double percent);

 private:
  struct Mark {
    explicit Mark(const Watermark& m) : mark(m) {}
    const Watermark mark;
    std::atomic<bool> holds{false};
  };
  std::deque<Mark> marks_;
};

}  // namespace varve::write
