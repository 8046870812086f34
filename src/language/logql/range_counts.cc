// SPDX-License-Identifier: Apache-2.0
#include "language/logql/range_counts.h"

#include <algorithm>
#include <numeric>

#include "language/logql/units.h"

namespace varve::language::logql {

bool groups_by(const Grouping& grouping, std::string_view label) {
  const bool listed = std::ranges::find(grouping.labels, label) != grouping.labels.end();
  return listed != grouping.without;
}

TimeSpan RangeCounts::span() const {
  const std::int64_t last_ns = add_ns(steps_.at(steps_.count() - 1), -range_.offset_ns);
  const std::int64_t first_ns = add_ns(add_ns(steps_.start_ns, -range_.offset_ns), 1 - range_.range_ns);
  return {first_ns, add_ns(last_ns, 1)};
}

std::int64_t RangeCounts::window_ns() const {
  if (steps_.count() == 1) return range_.range_ns;
  return std::gcd(steps_.step_ns, range_.range_ns);
}

// The first step that is not before the time; steps_.count(): none.
std::uint32_t RangeCounts::first_step(std::int64_t time_ns) const {
  if (time_ns <= steps_.start_ns) return 0;
  const std::int64_t distance = time_ns - steps_.start_ns;
  const std::int64_t step = distance / steps_.step_ns + (distance % steps_.step_ns != 0 ? 1 : 0);
  return static_cast<std::uint32_t>(std::min<std::int64_t>(step, steps_.count()));
}

Result<RangeCounts::Group*> RangeCounts::group_of(const Labels& labels, const Source& source) {
  key_.clear();
  append_labels(key_, labels.all());
  const auto [found, is_new] = groups_.try_emplace(key_);
  Group& group = found->second;
  if (is_new) {
    std::size_t bytes = sizeof *found + 2 * key_.size();
    for (const Label& label : labels.all()) {
      group.labels.emplace_back(label.name, label.value);
      bytes += sizeof group.labels.back();
    }
    VARVE_RETURN_IF_ERROR(source.hold(bytes));
  }
  return &group;
}

Status RangeCounts::add(Labels& labels, std::uint64_t lines, std::uint64_t bytes, const Source& source) {
  const std::int64_t from_ns = add_ns(labels.time_ns(), range_.offset_ns);
  const std::uint32_t first = first_step(from_ns), end = first_step(add_ns(from_ns, range_.range_ns));
  if (first == end) return {};  // between the ranges
  if (grouping_ != nullptr) {
    labels.filter([&](const Label& label) { return groups_by(*grouping_, label.name); });
  }
  labels.sort();
  VARVE_ASSIGN_OR_RETURN(Group * group, group_of(labels, source));
  std::size_t added = 0;
  for (auto [list, step] : {std::pair(&group->more, first), std::pair(&group->fewer, end)}) {
    if (list->empty() || list->back().step != step) {
      list->push_back({step, 0, 0});
      ++added;
    }
    list->back().lines += static_cast<std::int64_t>(lines);
    list->back().bytes += static_cast<std::int64_t>(bytes);
  }
  return added == 0 ? Status{} : source.hold(added * sizeof(Change));
}

double RangeCounts::value_of(std::int64_t lines, std::int64_t bytes) const {
  const double seconds = static_cast<double>(range_.range_ns) / static_cast<double>(kSecondNs);
  switch (range_.range_op) {
    case RangeOp::count_over_time: return static_cast<double>(lines);
    case RangeOp::rate: return static_cast<double>(lines) / seconds;
    case RangeOp::bytes_over_time: return static_cast<double>(bytes);
    case RangeOp::bytes_rate: return static_cast<double>(bytes) / seconds;
  }
  return 0;
}

std::vector<Point> RangeCounts::points_of(Group& group) const {
  for (auto* const list : {&group.more, &group.fewer}) std::ranges::sort(*list, {}, &Change::step);
  std::vector<Point> out;
  std::int64_t lines = 0, bytes = 0;
  auto more = group.more.begin(), fewer = group.fewer.begin();
  for (std::uint32_t step = group.more.front().step, end = steps_.count(); step < end; ++step) {
    for (; more != group.more.end() && more->step <= step; ++more) lines += more->lines, bytes += more->bytes;
    for (; fewer != group.fewer.end() && fewer->step <= step; ++fewer) lines -= fewer->lines, bytes -= fewer->bytes;
    if (lines > 0) {
      out.push_back({step, value_of(lines, bytes)});
    } else if (more == group.more.end()) {
      break;
    } else {
      step = more->step - 1;  // nothing until then
    }
  }
  return out;
}

std::vector<Series> RangeCounts::take() {
  std::vector<Series> out;
  out.reserve(groups_.size());
  for (auto& [key, group] : groups_) out.push_back({std::move(group.labels), points_of(group)});
  groups_.clear();
  return out;
}

}  // namespace varve::language::logql
