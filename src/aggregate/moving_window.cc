// SPDX-License-Identifier: Apache-2.0
#include "aggregate/moving_window.h"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "aggregate/windows.h"

namespace varve::aggregate {

namespace {

using model::Timestamp;
using model::TimeUnit;

// E(0).
Timestamp first_end(const MovingWindow& moving, Timestamp start) {
  if (!moving.align_sampling) return start;
  const TimeUnit unit = moving.sampling.unit;
  if (unit >= TimeUnit::days) return model::calendar_start(start, unit, moving.zone);
  const std::int64_t width = std::max<std::int64_t>(model::fixed_ms(unit), 1000);
  const Timestamp local = moving.zone.to_local(start);
  return start - (local - model::window_start(local, width));
}

// All of one type: order among those of one time, which is what counts here, is kept for these only.
Points of_one_type(Points in) {
  if (in.types.empty()) return in;
  const auto other = std::ranges::adjacent_find(in.types, std::ranges::not_equal_to());
  if (other != in.types.end()) return as_doubles(std::move(in));
  in.type = in.types[0];
  in.types.clear();
  return in;
}

// The windows that points are in: point i in those from first(i) to last(i), if any.
class Places {
 public:
  static Result<Places> of(const MovingWindow& moving, const Windows& ends, const Points& in, const Charge& charge) {
    Places out(std::min(moving.sampling.value, std::int64_t{1} << 60));
    out.nearest_.reserve(in.size());
    Pace pace;
    for (const Timestamp t : in.times) {
      VARVE_RETURN_IF_ERROR(pace.step(charge));
      const std::int64_t k = ends.index(t);
      out.nearest_.push_back(ends.start(k) == t ? k : k + 1);
    }
    if (!out.nearest_.empty()) out.last_ = std::max<std::int64_t>(out.nearest_.back(), 0);
    return out;
  }

  [[nodiscard]] std::size_t size() const { return nearest_.size(); }
  [[nodiscard]] std::int64_t first(std::size_t i) const { return std::max<std::int64_t>(nearest_[i], 0); }
  [[nodiscard]] std::int64_t last(std::size_t i) const { return std::min(nearest_[i] + value_ - 1, last_); }
  [[nodiscard]] std::int64_t last() const { return last_; }

 private:
  explicit Places(std::int64_t value) : value_(value) {}

  std::int64_t value_;
  std::vector<std::int64_t> nearest_;  // whose end is the first at or after the point; ascend
  std::int64_t last_ = -1;
};

// What all windows hold.
struct Total {
  std::size_t points = 0;
  std::size_t bytes = 0;  // at most kMost
  static constexpr std::size_t kMost = SIZE_MAX / 4;
};

Total total_of(const Places& places, const Points& in) {
  Total out;
  for (std::size_t i = 0; i < places.size() && out.bytes < Total::kMost; ++i) {
    if (places.last(i) < places.first(i)) continue;
    const auto times = static_cast<std::size_t>(places.last(i) - places.first(i)) + 1;
    const std::size_t each = in.in_text() ? sizeof(std::string) + in.texts[i].size() + 2 * sizeof(std::uint64_t)
                                          : sizeof(Timestamp) + sizeof(std::uint64_t);
    out.points += times;
    out.bytes = times > (Total::kMost - out.bytes) / each ? Total::kMost : out.bytes + times * each;
  }
  return out;
}

template <class T>
void append(std::vector<T>& list, const std::vector<T>& from, std::size_t first, std::size_t end) {
  if (from.empty()) return;
  list.insert(list.end(), from.begin() + static_cast<std::ptrdiff_t>(first),
              from.begin() + static_cast<std::ptrdiff_t>(end));
}

}  // namespace

Timestamp first_begin(const MovingWindow& moving, Timestamp start) {
  return model::add_units(first_end(moving, start), -moving.sampling.value, moving.sampling.unit, moving.zone);
}

Result<Points> apply(const MovingWindow& moving, const Scope& scope, Points in) {
  in = of_one_type(std::move(in));
  const Windows ends({1, moving.sampling.unit}, false, first_end(moving, scope.start), moving.zone);
  VARVE_ASSIGN_OR_RETURN(const Places places, Places::of(moving, ends, in, scope.charge));
  const Total total = total_of(places, in);
  if (scope.charge) VARVE_RETURN_IF_ERROR(scope.charge(total.bytes));

  Points out;
  out.type = in.type;
  out.times.reserve(total.points);
  if (in.in_text()) out.texts.reserve(total.points);
  if (!in.in_text()) out.bits.reserve(total.points);
  std::size_t from = 0;
  std::size_t to = 0;
  Pace pace;
  for (std::int64_t k = in.size() == 0 ? 0 : places.first(0); k <= places.last(); ++k) {
    VARVE_RETURN_IF_ERROR(pace.step(scope.charge, 1 + (to - from)));
    while (to < in.size() && places.first(to) <= k) ++to;
    while (from < to && places.last(from) < k) ++from;
    if (from == to) {
      if (to == in.size()) break;
      k = places.first(to) - 1;  // nothing until there
      continue;
    }
    out.times.resize(out.size() + (to - from), ends.start(k));
    append(out.bits, in.bits, from, to);
    append(out.texts, in.texts, from, to);
    append(out.nulls, in.nulls, from, to);
    append(out.originals, in.originals, from, to);
  }
  return out;
}

}  // namespace varve::aggregate
