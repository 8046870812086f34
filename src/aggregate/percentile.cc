// SPDX-License-Identifier: Apache-2.0
#include "aggregate/percentile.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "aggregate/histograms.h"
#include "aggregate/reducer.h"

namespace varve::aggregate {

namespace {

double percentile_of(std::span<double> values, double fraction) {
  return at_position(values, fraction * static_cast<double>(values.size() + 1));
}

}  // namespace

std::size_t WindowValues::Window::bytes() const {
  return values.capacity() * sizeof values[0] + (search == nullptr ? 0 : search->bytes());
}

void WindowValues::Window::add(std::span<const double> more, std::size_t room) {
  const std::size_t most = values.size() + more.size();
  if (search == nullptr && most > values.capacity()) {
    const std::size_t grown = std::max(most, 2 * values.capacity());
    if (values.size() >= RankSearch::kValuesMin && (grown - values.capacity()) * sizeof values[0] > room) {
      search = std::make_unique<RankSearch>(std::exchange(values, {}));
    } else {
      values.reserve(grown);
    }
  }
  if (search != nullptr) return search->add(more, room);
  values.insert(values.end(), more.begin(), more.end());
}

WindowValues::Window& WindowValues::window(std::int64_t number, model::Timestamp first) {
  const auto [at, is_new] = windows_.try_emplace(number);
  Window& window = at->second;
  if (is_new || first < window.first) window.first = first;
  if (is_new) bytes_ += sizeof(*at) + 64;
  return window;
}

// nullptr: nothing is looked for there any more.
RankSearch* WindowValues::search_in(std::int64_t number) const {
  const auto at = windows_.find(number);
  return at == windows_.end() ? nullptr : at->second.search.get();
}

std::size_t WindowValues::add(const Windows& windows, const Column& column, std::size_t room) {
  thread_local std::vector<double> values;  // of one window
  std::size_t added = 0;
  for (std::size_t i = 0; i < column.times.size();) {
    const std::int64_t number = windows.index(column.times[i]);
    const model::Timestamp end = windows.start(number + 1);
    model::Timestamp first = end;
    values.clear();
    for (; i < column.times.size() && column.times[i] < end; ++i) {
      const double value = as_double(column.type, column.bits[i]);
      if (!std::isfinite(value)) continue;
      first = std::min(first, column.times[i]);
      values.push_back(value);
    }
    if (values.empty()) continue;
    if (RankSearch* const search = again_ ? search_in(number) : nullptr) {
      const std::size_t before = search->bytes();
      search->add(values, room);
      bytes_ = bytes_ + search->bytes() - before;
    }
    if (again_) continue;
    added += values.size();
    Window& into = window(number, first);
    const std::size_t before = into.bytes();
    const bool kept_them = into.search == nullptr;
    into.add(values, room);
    searched_ += kept_them && into.search != nullptr ? 1 : 0;
    bytes_ = bytes_ + into.bytes() - before;
  }
  return added;
}

void WindowValues::end_pass(const Percentile& percentile) {
  const bool is_first = !std::exchange(again_, true);
  for (auto& [number, window] : windows_) {
    const std::size_t before = window.bytes();
    if (window.search != nullptr) {
      const bool ended = window.search->end_pass(percentile.fraction, window.values);
      if (ended) window.search = nullptr;
      searched_ -= ended ? 1 : 0;
    } else if (is_first) {
      window.values = std::vector{percentile_of(window.values, percentile.fraction)};  // frees the others
    }
    bytes_ = bytes_ + window.bytes() - before;
  }
}

bool WindowValues::may_skip(std::int64_t number, double min, double max) const {
  const RankSearch* const search = search_in(number);
  return search == nullptr || search->are_outside(min, max);
}

void WindowValues::skip(std::int64_t number, double min, double max, std::uint64_t count) {
  if (RankSearch* const search = search_in(number)) search->add_outside(min, max, count);
}

Points WindowValues::take(const Percentile& percentile, const Windows& windows) {
  Points out;
  for (auto& [number, window] : windows_) {
    if (window.values.empty()) continue;
    out.push(stamp_of(percentile, windows, number, window.first), model::ValueType::double_,
             std::bit_cast<std::uint64_t>(percentile_of(window.values, percentile.fraction)));
  }
  windows_.clear();
  bytes_ = 0;
  return out;
}

Result<Points> apply(const Percentile& percentile, const Scope& scope, Points in) {
  if (in.type == model::ValueType::histogram) return apply_to_histograms(percentile, scope, std::move(in));
  in = as_doubles(without_nulls(std::move(in)));
  const Windows windows = windows_of(percentile, scope.start);
  WindowValues values;
  constexpr std::size_t kAtOnce = 65'536;
  const std::span times(in.times);
  const std::span bits(in.bits);
  Pace pace;
  for (std::size_t from = 0; from < in.size(); from += kAtOnce) {
    const std::size_t count = std::min(kAtOnce, in.size() - from);
    VARVE_RETURN_IF_ERROR(pace.step(scope.charge, count));
    values.add(windows, {model::ValueType::double_, times.subspan(from, count), bits.subspan(from, count)},
               std::numeric_limits<std::size_t>::max());
  }
  return values.take(percentile, windows);
}

}  // namespace varve::aggregate
