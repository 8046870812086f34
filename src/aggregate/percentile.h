// SPDX-License-Identifier: Apache-2.0
// Percentile: for each window the value at position p (n + 1) of the sorted samples, interpolated linearly; exact.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "aggregate/cells.h"
#include "aggregate/points.h"
#include "aggregate/rank_search.h"
#include "aggregate/scope.h"
#include "aggregate/stage.h"
#include "aggregate/windows.h"

namespace varve::aggregate {

struct Percentile : Grid {
  double fraction = 0;  // 0..1
};

// The values of each window; pieces may come in any order, nothing has to be merged. Where there are too many to keep,
// they are counted, and then all pieces have to come again (RankSearch).
class WindowValues {
 public:
  // Ignores values that are not finite. Returns the number of samples used. More than `room` bytes are not taken for
  // windows of more than a few values, if that can be avoided.
  std::size_t add(const Windows& windows, const Column& column, std::size_t room);
  // After a pass: are all values kept, or known that are looked for? If not, end_pass() and let all pieces come again.
  [[nodiscard]] bool complete() const { return searched_ == 0; }
  // Keeps only what is looked for, where it is known.
  void end_pass(const Percentile& percentile);
  // In a later pass: is it enough to skip() a piece whose values are between these, all in one window?
  [[nodiscard]] bool may_skip(std::int64_t window, double min, double max) const;
  void skip(std::int64_t window, double min, double max, std::uint64_t count);
  // After the last pass. Empties the object.
  Points take(const Percentile& percentile, const Windows& windows);
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  struct Window {
    model::Timestamp first = 0;
    std::vector<double> values;          // all; after the first pass only what was looked for
    std::unique_ptr<RankSearch> search;  // for it, instead

    void add(std::span<const double> more, std::size_t room);
    [[nodiscard]] std::size_t bytes() const;
  };
  Window& window(std::int64_t number, model::Timestamp first);
  [[nodiscard]] RankSearch* search_in(std::int64_t number) const;

  std::map<std::int64_t, Window> windows_;
  std::size_t bytes_ = 0;
  std::size_t searched_ = 0;  // windows
  bool again_ = false;        // the first pass has ended
};

// `in`: numbers or histograms, ascending. Values that are not finite are ignored.
Result<Points> apply(const Percentile& percentile, const Scope& scope, Points in);

}  // namespace varve::aggregate
