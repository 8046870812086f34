// SPDX-License-Identifier: Apache-2.0
#include "query/joiner.h"

#include <algorithm>
#include <utility>

#include "aggregate/across.h"
#include "aggregate/fill.h"
#include "aggregate/windows.h"

namespace varve::query {

namespace {

using aggregate::Points;
using aggregate::Reducer;
using aggregate::SeriesView;
using aggregate::Windows;

constexpr std::size_t kPointBytes = sizeof(model::Timestamp) + sizeof(std::uint64_t) + sizeof(model::ValueType);
constexpr std::size_t kJoinedGroupBytes = 512;  // with its tags, about

// Points at times that are not multiples of the resolution, or would come to share one.
bool finer_than(const Points& points, std::int64_t resolution_ms) {
  return resolution_ms > 1 && std::ranges::any_of(points.times, [&](auto t) { return t % resolution_ms != 0; });
}

using Numbers = std::vector<std::uint32_t>;

// Of the tags in Join::group_by.
Numbers values_of(const Join& how, const TagTable& tags, std::uint32_t series) {
  Numbers values;
  for (const std::string& key : how.group_by) values.push_back(tags.find(series, key));
  return values;
}

Group head_of(const TagTable& tags, const Numbers& values, const CommonTags& common) {
  Group out;
  for (const std::uint32_t tag : values) out.group_values.emplace_back(tags.value_of(tag));
  common.put(tags, out);
  return out;
}

}  // namespace

Group alone(const Join& how, const TagTable& tags, std::uint32_t series) {
  CommonTags own;
  own.add(tags, series);
  return head_of(tags, values_of(how, tags, series), own);
}

Result<Points> at_resolution(const Join& how, Points points, const aggregate::Charge& charge) {
  if (!finer_than(points, how.resolution_ms)) return points;
  const Windows cut({how.resolution_ms, model::TimeUnit::milliseconds}, false, 0);
  const bool takes_last = how.reducer == Reducer::none || how.reducer == Reducer::count;
  return aggregate::gather(takes_last ? Reducer::last : how.reducer, cut, points, charge);
}

// Where nothing stands between the fill and the reducer, series need not hold what is empty.
Status Joiner::list_windows() {
  is_listed_ = true;
  const auto& into = how_.downsample;
  if (!into || into->fill == Join::Fill::none || how_.rate || how_.reducer == Reducer::none) return {};
  const Windows windows = aggregate::windows_of(into->grid(), range_.first);
  const std::uint64_t count = aggregate::windows_in(windows, range_);
  VARVE_RETURN_IF_ERROR(budget_.charge(count * sizeof(model::Timestamp)));
  const std::int64_t first = windows.index(range_.first);
  aggregate::Pace pace;
  for (std::uint64_t i = 0; i < count; ++i) {
    VARVE_RETURN_IF_ERROR(pace.step(charge_));
    windows_.push_back(windows.start(first + static_cast<std::int64_t>(i)));
  }
  std::erase_if(windows_, [](model::Timestamp start) { return !model::is_timestamp(start); });
  if (std::ranges::any_of(windows_, [&](auto t) { return t % how_.resolution_ms != 0; })) {
    windows_ = {};
    budget_.release(count * sizeof(model::Timestamp));
  }
  return {};
}

Result<Points> Joiner::prepare(Points points) {
  if (const auto& into = how_.downsample) {
    if (into->gather) {
      const Windows windows = aggregate::windows_of(into->grid(), range_.first);
      VARVE_ASSIGN_OR_RETURN(points, aggregate::gather(*into->gather, windows, points, charge_));
    }
    if (into->fill != Join::Fill::none && windows_.empty()) {
      VARVE_ASSIGN_OR_RETURN(points, filled(std::move(points)));
      budget_.release(points.size() * kPointBytes);  // what is kept is charged once it is packed
    }
  }
  VARVE_ASSIGN_OR_RETURN(points, at_resolution(how_, std::move(points), charge_));
  points = aggregate::at_timestamps(std::move(points));
  if (how_.rate) points = aggregate::rate(*how_.rate, points);
  return points;
}

// What it has is charged.
Result<Points> Joiner::filled(Points points) {
  const Windows windows = aggregate::windows_of(how_.downsample->grid(), range_.first);
  const std::size_t size = aggregate::windows_in(windows, range_);
  VARVE_RETURN_IF_ERROR(budget_.charge(size * kPointBytes));
  VARVE_ASSIGN_OR_RETURN(points,
                         aggregate::fill(windows, range_, how_.downsample->fill == Join::Fill::zero, points, charge_));
  VARVE_RETURN_IF_ERROR(budget_.charge((points.size() - size) * kPointBytes));  // behind the last window
  return points;
}

Status Joiner::add(std::uint32_t series, Points points) {
  if (!is_listed_) VARVE_RETURN_IF_ERROR(list_windows());
  VARVE_ASSIGN_OR_RETURN(points, prepare(std::move(points)));
  if (how_.reducer == Reducer::none) {
    Group& group = out_.groups.emplace_back(alone(how_, tags_, series));
    group.points = std::move(points);
    return budget_.charge(group.points.size() * kPointBytes);
  }
  const auto [at, is_new] = groups_.try_emplace(values_of(how_, tags_, series));
  Joined& group = at->second;
  const std::size_t before = packed_.bytes() + group.series.capacity() * sizeof(SeriesView);
  group.tags.add(tags_, series);
  group.series.push_back(packed_.add(points));
  const std::size_t now = packed_.bytes() + group.series.capacity() * sizeof(SeriesView);
  return budget_.charge(now - before + (is_new ? kJoinedGroupBytes : 0));
}

Result<Points> Joiner::across(const Joined& group) {
  const auto& series = group.series;
  if (series.size() == 1 && how_.reducer != Reducer::count && how_.reducer != Reducer::dev) {
    if (windows_.empty()) return to_points(series[0]);
    VARVE_ASSIGN_OR_RETURN(Points points, filled(to_points(series[0])));
    return aggregate::at_timestamps(std::move(points));
  }
  std::size_t most = windows_.size();
  for (const SeriesView& one : series) most += one.size;
  VARVE_RETURN_IF_ERROR(budget_.charge(most * kPointBytes));
  const bool with_zero = how_.downsample && how_.downsample->fill == Join::Fill::zero;
  VARVE_ASSIGN_OR_RETURN(Points points,
                         aggregate::across(how_.reducer, series, [this] { return charge_(0); }, {windows_, with_zero}));
  budget_.release((most - std::min(most, points.size())) * kPointBytes);
  return points;
}

Result<MetricAnswer> Joiner::finish() {
  for (auto& [values, joined] : groups_) {
    VARVE_RETURN_IF_ERROR(charge_(0));
    Group& group = out_.groups.emplace_back(head_of(tags_, values, joined.tags));
    VARVE_ASSIGN_OR_RETURN(group.points, across(joined));
    joined = {};
  }
  if (how_.reducer != Reducer::none) std::ranges::sort(out_.groups, {}, &Group::group_values);
  return std::move(out_);
}

}  // namespace varve::query
