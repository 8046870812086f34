// SPDX-License-Identifier: Apache-2.0
#include "language/usage/read.h"

#include <algorithm>
#include <map>
#include <span>
#include <string_view>
#include <utility>

#include "base/parallel.h"

namespace varve::language::usage {
namespace {

using snmp::inventory::HistoryKind;
using snmp::inventory::HistoryRow;

constexpr std::size_t kHistoriesAtOnce = 15;  // beside this thread's

UsageBins bins_of(const aggregate::Points& points) {
  UsageBins out(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    out[i].start = points.times[i];
    if (points.type_of(i) == model::ValueType::double_) {
      out[i].growth.add(points.number(i), points.covered_ms[i]);
    } else {
      out[i].growth.add(points.bits[i], points.covered_ms[i]);
    }
  }
  return out;
}

// What is known of an interface: by what it was polled for, and by the oidset, a name in UsageRoles.
using UsageGroups = std::map<std::pair<UsageRole, std::string_view>, const aggregate::Points*>;

// Of one direction. The preferred ones come first.
UsageBins bins_of(const UsageGroups& groups, bool of_out) {
  UsageBins out;
  bool is_first = true;
  for (const auto& [key, points] : groups) {
    if (key.first.is_out != of_out) continue;
    out = is_first ? bins_of(*points) : more_covered(std::move(out), bins_of(*points));
    is_first = false;
  }
  return out;
}

// By device and interface.
using FoundInterfaces = std::map<std::pair<std::string, std::string>, UsageGroups>;

FoundInterfaces found_in(const query::Answer& answer, const UsageRoles& roles) {
  FoundInterfaces out;
  for (const auto& [metric, sets] : roles) {
    for (const query::Group& group : answer.metrics[sets.begin()->second.metric].groups) {
      if (group.points.in_text()) continue;
      const auto role = sets.find(group.group_values[1]);
      if (role == sets.end()) continue;
      const std::pair key{role->second, std::string_view(role->first)};
      out[{group.group_values[0], group.group_values[2]}].emplace(key, &group.points);
    }
  }
  return out;
}

std::optional<std::string> alias_of(const HistoryRow& row) {
  const auto* const attribute = snmp::inventory::attribute_of(HistoryKind::interfaces, row, "ifAlias");
  const auto* const text = attribute == nullptr ? nullptr : std::get_if<std::string>(attribute);
  return text == nullptr ? std::nullopt : std::optional(*text);
}

// Rows of one device, by the interface's name, in order of begin.
using RowsOfDevice = std::map<std::string, std::vector<const HistoryRow*>, std::less<>>;

class Histories {
 public:
  static Result<Histories> read(const UsageSources& sources, const std::string& tenant, const FoundInterfaces& found,
                                model::TimeRange range) {
    std::vector<std::string> devices;
    for (const auto& [name, groups] : found) {
      if (devices.empty() || devices.back() != name.first) devices.push_back(name.first);
    }
    Histories out;
    out.rows_.resize(devices.size());
    VARVE_RETURN_IF_ERROR(in_parallel(sources.pool, kHistoriesAtOnce, devices.size(), [&](std::size_t i) -> Status {
      VARVE_ASSIGN_OR_RETURN(out.rows_[i], sources.history.rows(tenant, devices[i], HistoryKind::interfaces, range));
      return {};
    }));
    for (std::size_t i = 0; i < devices.size(); ++i) {
      RowsOfDevice& of_device = out.by_device_[devices[i]];
      for (const HistoryRow& row : out.rows_[i]) of_device[row.name].push_back(&row);
    }
    return out;
  }

  [[nodiscard]] std::span<const HistoryRow* const> of(const std::string& device, const std::string& interface) const {
    const RowsOfDevice& of_device = by_device_.at(device);
    const auto found = of_device.find(interface);
    if (found == of_device.end()) return {};
    return found->second;
  }

 private:
  std::vector<std::vector<HistoryRow>> rows_;
  std::map<std::string, RowsOfDevice, std::less<>> by_device_;
};

std::vector<SpeedSpan> speeds_of(std::span<const HistoryRow* const> rows) {
  std::vector<SpeedSpan> out;
  for (const HistoryRow* const row : rows) {
    const std::uint64_t speed = bits_per_second(*row);
    if (speed == 0) continue;
    out.push_back({{row->begin, row->end.value_or(model::kTimestampMax + 1)}, static_cast<double>(speed)});
  }
  return out;
}

std::optional<double> field_of(const InterfaceUsage& interface, UsageSort sort) {
  const UsageFigures& figures = sort.by_out ? interface.out : interface.in;
  if (!figures.is_known()) return std::nullopt;
  switch (sort.field) {
    case UsageField::bytes: return static_cast<double>(figures.growth.whole) + figures.growth.real;
    case UsageField::average: return figures.average;
    case UsageField::max: return figures.max;
    case UsageField::p95: return figures.p95;
    case UsageField::utilisation: break;
  }
  return figures.utilisation();
}

// The greatest first, the unknown last; equal ones stay in their order.
void sort_usage(UsageSort by, std::vector<InterfaceUsage>& interfaces) {
  std::vector<std::pair<std::optional<double>, std::size_t>> order;
  for (std::size_t i = 0; i < interfaces.size(); ++i) order.emplace_back(field_of(interfaces[i], by), i);
  // No value is less than any.
  std::ranges::stable_sort(order, [](const auto& a, const auto& b) { return b.first < a.first; });
  std::vector<InterfaceUsage> sorted;
  sorted.reserve(interfaces.size());
  for (const auto& [value, i] : order) sorted.push_back(std::move(interfaces[i]));
  interfaces = std::move(sorted);
}

}  // namespace

Result<Usage> read_usage(const UsageSources& sources, const std::string& tenant, const UsageQuestion& question,
                         query::UnderWay& query) {
  VARVE_RETURN_IF_ERROR(sources.inventory.refresh());
  const auto inventory = sources.inventory.of(tenant);
  const auto devices = devices_asked_for(question, *inventory);
  Usage out;
  if (devices && devices->empty()) return out;
  const UsageRoles roles = usage_roles(*inventory);
  const query::Request request = usage_request(question, tenant, roles, devices);
  VARVE_ASSIGN_OR_RETURN(const query::Answer answer, sources.queries.run(request, query));
  const FoundInterfaces found = found_in(answer, roles);
  VARVE_ASSIGN_OR_RETURN(const Histories histories, Histories::read(sources, tenant, found, question.range));
  UsageSum in, sum_out;
  for (const auto& [name, groups] : found) {
    const auto rows = histories.of(name.first, name.second);
    InterfaceUsage one{.device = name.first, .name = name.second};
    if (!rows.empty()) {
      one.alias = alias_of(*rows.back());
      if (const std::uint64_t speed = bits_per_second(*rows.back()); speed != 0) one.bits_per_second = speed;
    }
    if (one.alias.value_or("").find(question.alias_part) == std::string::npos) continue;
    const std::vector<SpeedSpan> speeds = speeds_of(rows);
    const UsageBins bins_in = bins_of(groups, false), bins_out = bins_of(groups, true);
    one.in = usage_figures(bins_in, question.width_ms, speeds);
    one.out = usage_figures(bins_out, question.width_ms, speeds);
    if (question.sum) {
      in.add(bins_in, one.in);
      sum_out.add(bins_out, one.out);
    }
    VARVE_RETURN_IF_ERROR(query.budget().charge(sizeof one + one.device.size() + one.name.size()));
    out.interfaces.push_back(std::move(one));
  }
  out.in = in.figures();
  out.out = sum_out.figures();
  if (question.sort) sort_usage(*question.sort, out.interfaces);
  if (question.limit != 0 && out.interfaces.size() > question.limit) out.interfaces.resize(question.limit);
  return out;
}

}  // namespace varve::language::usage
