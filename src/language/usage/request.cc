// SPDX-License-Identifier: Apache-2.0
#include "language/usage/request.h"

#include <algorithm>
#include <utility>

#include "aggregate/counter_stage.h"

namespace varve::language::usage {
namespace {

using snmp::inventory::Inventory;
using snmp::inventory::Oidset;

constexpr const char* kDeviceTag = "device";
constexpr const char* kOidsetTag = "oidset";
constexpr const char* kInterfaceTag = "interface";

void add_roles(const Oidset& oidset, UsageRoles& roles) {
  for (const snmp::inventory::Object& object : oidset.objects) {
    if ((object.alias != "in" && object.alias != "out") || !snmp::inventory::is_counter(object.type)) continue;
    const bool is_out = object.alias == "out";
    roles["snmp." + object.name][oidset.name] = {is_out, oidset.frequency_ms, false, 0};
    if (object.stand_in) roles["snmp." + object.stand_in->name][oidset.name] = {is_out, oidset.frequency_ms, true, 0};
  }
}

}  // namespace

UsageRoles usage_roles(const Inventory& inventory) {
  UsageRoles roles;
  for (const auto& [name, oidset] : snmp::inventory::built_in().oidsets) {
    if (!inventory.oidsets.contains(name)) add_roles(oidset, roles);
  }
  for (const auto& [name, oidset] : inventory.oidsets) add_roles(oidset, roles);
  std::uint32_t position = 0;
  for (auto& [metric, sets] : roles) {
    for (auto& [oidset, role] : sets) role.metric = position;
    ++position;
  }
  return roles;
}

std::optional<std::vector<std::string>> devices_asked_for(const UsageQuestion& question, const Inventory& inventory) {
  if (question.tags.empty()) return question.devices.empty() ? std::nullopt : std::optional(question.devices);
  std::vector<std::string> out;
  for (const auto& [name, device] : inventory.devices) {
    const auto has = [&tags = device.tags](const auto& tag) {
      const auto found = tags.find(tag.first);
      return found != tags.end() && found->second == tag.second;
    };
    const bool is_named =
        question.devices.empty() || std::ranges::find(question.devices, name) != question.devices.end();
    if (is_named && std::ranges::all_of(question.tags, has)) out.push_back(name);
  }
  return out;
}

query::Request usage_request(const UsageQuestion& question, const std::string& tenant, const UsageRoles& roles,
                             const std::optional<std::vector<std::string>>& devices) {
  using index::Matcher;
  aggregate::CounterStage bins;
  bins.sampling = {question.width_ms, model::TimeUnit::milliseconds};
  bins.align_epoch = true;
  bins.stamp = aggregate::Stamp::window_start;
  bins.shows_coverage = true;
  query::Request out;
  out.tenant = tenant;
  out.range = question.range;
  for (const auto& [metric, sets] : roles) {
    query::MetricQuery& asked = out.metrics.emplace_back();
    asked.metric = metric;
    Matcher oidsets{kOidsetTag, Matcher::Kind::any_of, {}};
    for (const auto& [oidset, role] : sets) oidsets.values.push_back(oidset);
    asked.matchers = {std::move(oidsets), {kInterfaceTag, Matcher::Kind::none_of, {""}}};
    if (devices) asked.matchers.push_back({kDeviceTag, Matcher::Kind::any_of, *devices});
    if (!question.interfaces.empty()) {
      asked.matchers.push_back({kInterfaceTag, Matcher::Kind::any_of, question.interfaces});
    }
    query::Pipeline pipeline;
    pipeline.group_by = query::TagKeys{kDeviceTag, kOidsetTag, kInterfaceTag};
    pipeline.stages.emplace_back(bins);
    asked.how = std::move(pipeline);
  }
  return out;
}

}  // namespace varve::language::usage
