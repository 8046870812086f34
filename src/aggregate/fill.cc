// SPDX-License-Identifier: Apache-2.0
#include "aggregate/fill.h"

#include <cmath>
#include <limits>
#include <span>
#include <vector>

namespace varve::aggregate {

namespace {

using model::ValueType;

}  // namespace

Result<Points> gather(Reducer reducer, const Windows& windows, const Points& in, const Charge& charge) {
  Points out;
  std::vector<double> doubles;
  std::vector<std::int64_t> longs;
  Pace pace;
  for (std::size_t from = 0; from < in.size();) {
    VARVE_RETURN_IF_ERROR(pace.step(charge));
    const std::int64_t window = windows.index(in.times[from]);
    const model::Timestamp end = windows.start(window + 1);
    doubles.clear();
    longs.clear();
    std::size_t to = from;
    for (; to < in.size() && in.times[to] < end; ++to) {
      const double value = in.number(to);
      if (std::isnan(value)) continue;
      doubles.push_back(value);
      if (in.type_of(to) == ValueType::long_) longs.push_back(std::bit_cast<std::int64_t>(in.bits[to]));
    }
    const auto whole = !longs.empty() && longs.size() == doubles.size() ? reduce_longs(reducer, longs) : std::nullopt;
    if (whole) {
      out.push(windows.start(window), ValueType::long_, std::bit_cast<std::uint64_t>(*whole));
    } else {
      const double value = doubles.empty() ? std::numeric_limits<double>::quiet_NaN() : reduce(reducer, doubles);
      out.push(windows.start(window), ValueType::double_, std::bit_cast<std::uint64_t>(value));
    }
    from = to;
  }
  return out;
}

std::uint64_t windows_in(const Windows& windows, model::TimeRange range) {
  const std::int64_t first = windows.index(range.first);
  std::int64_t last = windows.index(range.last - 1);
  if (last > first && windows.start(last) == range.last - 1) --last;
  return static_cast<std::uint64_t>(last - first) + 1;
}

Result<Points> fill(const Windows& windows, model::TimeRange range, bool with_zero, const Points& in,
                    const Charge& charge) {
  Points out;
  std::size_t next = 0;
  const auto put_from_in = [&] {
    out.push(in.times[next], in.type_of(next), in.bits[next]);
    ++next;
  };
  const std::int64_t first = windows.index(range.first);
  const auto n = static_cast<std::int64_t>(windows_in(windows, range));
  Pace pace;
  for (std::int64_t window = first; window < first + n; ++window) {
    VARVE_RETURN_IF_ERROR(pace.step(charge));
    const model::Timestamp start = windows.start(window);
    if (next < in.size() && in.times[next] == start) {
      put_from_in();
    } else if (with_zero) {
      out.push(start, ValueType::long_, 0);
    } else {
      out.push(start, ValueType::double_, std::bit_cast<std::uint64_t>(std::numeric_limits<double>::quiet_NaN()));
    }
  }
  while (next < in.size()) put_from_in();
  return out;
}

}  // namespace varve::aggregate
