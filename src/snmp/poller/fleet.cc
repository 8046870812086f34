// SPDX-License-Identifier: Apache-2.0
#include "snmp/poller/fleet.h"

#include <algorithm>

#include "codec/hash.h"

namespace varve::snmp::poller {
namespace {

const inventory::Correlator kNoCorrelator{};

const inventory::Correlator* correlator_of(const inventory::Inventory& inventory, const inventory::Oidset& oidset) {
  return oidset.correlator.empty() ? &kNoCorrelator : inventory::find_correlator(inventory, oidset.correlator);
}

// The next time at which is_polled_at() says something else.
model::Timestamp next_change(const inventory::Device& device, model::Timestamp now_ms) {
  if (!device.active) return model::kTimestampMax;
  if (device.begin && *device.begin > now_ms) return *device.begin;
  return device.end && *device.end > now_ms ? *device.end : model::kTimestampMax;
}

}  // namespace

std::uint32_t partition_of(std::string_view tenant, std::string_view device) {
  std::string name(tenant);
  name += '\0';
  name += device;
  return static_cast<std::uint32_t>(codec::murmur3_128(name)[1] % kPartitions);
}

std::shared_ptr<const walk::Plan> Fleet::plan_of(const inventory::Inventory& inventory, const std::string& tenant,
                                                 const std::string& oidset) {
  const inventory::Oidset* const set = inventory::find_oidset(inventory, oidset);
  if (set == nullptr) return nullptr;
  const inventory::Correlator* const correlator = correlator_of(inventory, *set);
  if (correlator == nullptr) return nullptr;
  auto& plan = plans_[{tenant, oidset}];
  if (plan == nullptr || plan->oidset != *set || plan->correlator != *correlator)
    plan = walk::make_plan(*set, *correlator);
  return plan;
}

Members Fleet::members(const inventory::Inventories& inventories, const std::function<bool(std::uint32_t)>& owns,
                       model::Timestamp now_ms) {
  Members out;
  changes_at_ = model::kTimestampMax;
  for (const auto& [tenant, inventory] : inventories) {
    std::map<std::string_view, std::shared_ptr<const walk::Plan>> plans;  // of this look
    for (const auto& [name, device] : inventory->devices) {
      changes_at_ = std::min(changes_at_, next_change(device, now_ms));
      if (!device.is_polled_at(now_ms) || !owns(partition_of(tenant, name))) continue;
      const auto address = inventory::parse_host_port(device.address);
      if (!address) continue;
      Member member{*address, device.credential, {}};
      for (const std::string& oidset : device.oidsets) {
        auto [at, is_new] = plans.try_emplace(oidset);
        if (is_new) at->second = plan_of(*inventory, tenant, oidset);
        if (at->second != nullptr) member.plans.push_back(at->second);
      }
      out.emplace(DeviceKey{tenant, name}, std::move(member));
    }
  }
  return out;
}

Result<Member> member_of(const inventory::Inventory& inventory, const inventory::Device& device,
                         std::string_view oidset) {
  VARVE_ASSIGN_OR_RETURN(const auto address, inventory::parse_host_port(device.address));
  Member member{address, device.credential, {}};
  for (const std::string& name : device.oidsets) {
    if (!oidset.empty() && name != oidset) continue;
    const inventory::Oidset* const set = inventory::find_oidset(inventory, name);
    const inventory::Correlator* const correlator = set == nullptr ? nullptr : correlator_of(inventory, *set);
    if (correlator == nullptr) return fail(Code::not_found, "there is no oidset '" + name + "'");
    member.plans.push_back(walk::make_plan(*set, *correlator));
  }
  if (member.plans.empty() && !oidset.empty()) {
    return fail(Code::not_found, "'" + device.name + "' does not have the oidset '" + std::string(oidset) + "'");
  }
  return member;
}

}  // namespace varve::snmp::poller
