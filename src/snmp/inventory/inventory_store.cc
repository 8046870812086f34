// SPDX-License-Identifier: Apache-2.0
#include "snmp/inventory/inventory_store.h"

#include <algorithm>
#include <atomic>
#include <set>

#include "base/hex.h"
#include "base/log.h"
#include "base/parallel.h"
#include "base/random.h"
#include "snmp/inventory/inventory_json.h"

namespace varve::snmp::inventory {
namespace {

using storage::TextName;

// Of the tenant "", which is nobody's. The service key is the tenant, the key KIND/NAME/VERSION.
constexpr const char* kDefinitions = "_snmp_inventory";
const TextName& revision_name() {
  static const TextName name{"", "_snmp_revision", "inventory", "revision"};
  return name;
}

constexpr char kDevice = 'd', kOidset = 'o', kCorrelator = 'c';
constexpr std::size_t kCountDigits = 16, kVersionDigits = 24;
constexpr std::int64_t kListAgainNs = 60LL * 1'000'000'000;  // a writer may have died before it changed the revision
constexpr std::size_t kTextsAtOnce = 15;                     // beside this thread's

// Later ones are greater; of two that are made at the same time, on two replicas, one is greater, the same everywhere.
std::string version_after(const std::vector<std::string>& versions) {
  std::uint64_t count = 0;
  if (!versions.empty()) {
    for (const char c : versions.back().substr(0, kCountDigits)) {
      count = count * 16 + static_cast<std::uint64_t>(hex_digit(c));
    }
  }
  return hex_text(count + 1, kCountDigits) + hex_text(random_number(), kVersionDigits - kCountDigits);
}

template <class Of>
std::optional<Of> definition_of(const std::string& name, std::string_view text) {
  protocol::json::Reader reader(text);
  const auto root = protocol::json::read_strict(reader);
  if (!root) return std::nullopt;
  Faults faults;
  Of out;
  out.name = name;
  read_onto(*root, "", out, faults);
  if (!faults.empty()) return std::nullopt;
  return out;
}

template <class Of>
void place_definition(Named<Of>& named, const std::string& name, const std::string& text) {
  named.erase(name);
  if (text.empty()) return;
  auto definition = definition_of<Of>(name, text);
  if (!definition) return log::warn("a stored definition for SNMP is malformed", {{"name", name}});
  named.emplace(name, std::move(*definition));
}

// `each` for every name whose definition differs, with the new text.
template <class Of, class Each>
ChangeCount differences(const Named<Of>& before, const Named<Of>& after, const Each& each) {
  ChangeCount out;
  for (const auto& [name, of] : after) {
    const auto old = before.find(name);
    if (old != before.end() && old->second == of) continue;
    ++(old == before.end() ? out.added : out.changed);
    each(name, to_json(of));
  }
  for (const auto& [name, of] : before) {
    if (after.contains(name)) continue;
    ++out.removed;
    each(name, std::string());
  }
  return out;
}

}  // namespace

std::shared_ptr<const Inventories> InventoryStore::all() const {
  const MutexLock lock(mutex_);
  return inventories_;
}

std::shared_ptr<const Inventory> InventoryStore::of(std::string_view tenant) const {
  static const auto kNone = std::make_shared<const Inventory>();
  const std::shared_ptr<const Inventories> inventories = all();
  const auto found = inventories->find(tenant);
  return found == inventories->end() ? kNone : found->second;
}

Result<InventoryStore::Versions> InventoryStore::list() const {
  VARVE_ASSIGN_OR_RETURN(const auto names, texts_.text_names("", kDefinitions));
  Versions out;
  for (const TextName& name : names) {
    const std::string& key = name.key;  // d/NAME/VERSION
    if (key.size() < 4 + kVersionDigits) continue;
    Slot slot{name.service_key, key[0], key.substr(2, key.size() - 3 - kVersionDigits)};
    out[std::move(slot)].push_back(key.substr(key.size() - kVersionDigits));
  }
  return out;
}

Status InventoryStore::refresh() {
  const MutexLock lock(reading_);
  for (int tries = 0; tries < 5; ++tries) {
    VARVE_ASSIGN_OR_RETURN(const auto text, texts_.text(revision_name()));
    const std::string revision = text.value_or("");
    const std::int64_t now_ns = clock_.steady_ns();
    if (listed_ns_ != 0 && revision == revision_ && now_ns - listed_ns_ < kListAgainNs) return {};
    VARVE_ASSIGN_OR_RETURN(auto found, list());
    VARVE_ASSIGN_OR_RETURN(const bool whole, take(std::move(found)));
    if (!whole) continue;
    revision_ = revision;
    listed_ns_ = std::max<std::int64_t>(now_ns, 1);
    return {};
  }
  return fail(Code::unavailable, "the inventory changes faster than it can be read");
}

Result<bool> InventoryStore::take(Versions found) {
  std::vector<Step> steps;
  for (const auto& [slot, versions] : found) {
    const auto known = versions_.find(slot);
    if (known == versions_.end() || known->second.back() != versions.back()) steps.push_back({slot, ""});
  }
  const std::size_t to_read = steps.size();
  for (const auto& [slot, versions] : versions_) {
    if (!found.contains(slot)) steps.push_back({slot, ""});
  }
  std::atomic<bool> went = false;
  VARVE_RETURN_IF_ERROR(in_parallel(pool_, kTextsAtOnce, to_read, [&](std::size_t i) -> Status {
    const Slot& slot = steps[i].slot;
    VARVE_ASSIGN_OR_RETURN(
        auto text, texts_.text({"", kDefinitions, slot.tenant,
                                std::string(1, slot.kind) + "/" + slot.name + "/" + found.find(slot)->second.back()}));
    if (!text) went = true;
    steps[i].text = std::move(text).value_or("");
    return {};
  }));
  if (went) return false;
  versions_ = std::move(found);
  if (steps.empty()) return true;
  Inventories inventories = *all();
  std::map<std::string, Inventory, std::less<>> changed;
  for (const Step& step : steps) {
    auto at = changed.find(step.slot.tenant);
    if (at == changed.end()) at = changed.emplace(step.slot.tenant, *of(step.slot.tenant)).first;
    Inventory& inventory = at->second;
    if (step.slot.kind == kDevice) place_definition(inventory.devices, step.slot.name, step.text);
    if (step.slot.kind == kOidset) place_definition(inventory.oidsets, step.slot.name, step.text);
    if (step.slot.kind == kCorrelator) place_definition(inventory.correlators, step.slot.name, step.text);
  }
  for (auto& [tenant, inventory] : changed) {
    inventories.insert_or_assign(tenant, std::make_shared<const Inventory>(std::move(inventory)));
  }
  auto all_now = std::make_shared<const Inventories>(std::move(inventories));
  {
    const MutexLock lock(mutex_);
    inventories_ = all_now;
  }
  if (listener_) listener_(std::move(all_now));
  return true;
}

// Of devices that are new, or go elsewhere: one that was there before may still be changed otherwise, or switched off.
void InventoryStore::check_credentials(const std::string& tenant, const Inventory& before, const Inventory& after,
                                       Faults& faults) const {
  if (credentials_ == nullptr) return;
  for (const auto& [name, device] : after.devices) {
    const auto old = before.devices.find(name);
    const bool is_same = old != before.devices.end() && old->second.credential == device.credential &&
                         old->second.address == device.address;
    if (is_same || credentials_->may_name(tenant, device.credential)) continue;
    faults.push_back("devices." + name + ".credential: " + no_credential(device.credential));
  }
}

Status InventoryStore::finish(const std::string& tenant, const Inventory& before, const Inventory& after,
                              bool only_check, Edited& out) {
  if (!out.faults.empty()) return {};
  if (after.devices.size() > kDevicesMax) {
    out.faults.push_back("devices: a tenant may have " + std::to_string(kDevicesMax));
    return {};
  }
  // What two replicas have made wrong together does not stand in the way of what mends it.
  const std::vector<std::string> old = faults_of(before);
  const std::set<std::string_view> known(old.begin(), old.end());
  for (std::string& fault : faults_of(after)) {
    if (!known.contains(fault)) out.faults.push_back(std::move(fault));
  }
  check_credentials(tenant, before, after, out.faults);
  if (!out.faults.empty()) return {};
  std::vector<Step> steps;
  const auto step = [&](char kind) {
    return [&steps, &tenant, kind](const std::string& name, std::string text) {
      steps.push_back({{tenant, kind, name}, std::move(text)});
    };
  };
  out.counts.correlators = differences(before.correlators, after.correlators, step(kCorrelator));
  out.counts.oidsets = differences(before.oidsets, after.oidsets, step(kOidset));
  out.counts.devices = differences(before.devices, after.devices, step(kDevice));
  for (const Step& one : steps) {
    if (one.text.size() > storage::kTextBytesMax) out.faults.push_back(one.slot.name + ": it is longer than 1 MiB");
  }
  if (only_check || steps.empty() || !out.faults.empty()) return {};
  return store(steps);
}

Status InventoryStore::store(const std::vector<Step>& steps) {
  std::vector<std::vector<std::string>> versions(steps.size());
  {
    const MutexLock lock(reading_);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (const auto known = versions_.find(steps[i].slot); known != versions_.end()) versions[i] = known->second;
    }
  }
  VARVE_RETURN_IF_ERROR(in_parallel(pool_, kTextsAtOnce, steps.size(), [&](std::size_t i) -> Status {
    const Step& step = steps[i];
    const auto name = [&](const std::string& version) {
      return TextName{"", kDefinitions, step.slot.tenant,
                      std::string(1, step.slot.kind) + "/" + step.slot.name + "/" + version};
    };
    if (!step.text.empty()) VARVE_RETURN_IF_ERROR(texts_.put_text(name(version_after(versions[i])), step.text));
    for (const std::string& version : versions[i]) VARVE_RETURN_IF_ERROR(texts_.erase_text(name(version)));
    return {};
  }));
  VARVE_RETURN_IF_ERROR(texts_.put_text(revision_name(), hex_text(random_number(), 16)));
  return refresh();
}

}  // namespace varve::snmp::inventory
