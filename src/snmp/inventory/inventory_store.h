// SPDX-License-Identifier: Apache-2.0
// InventoryStore: the inventories of all tenants, as texts of a service that no client reaches, and in memory.
//
// A definition is a text of its own, whose name ends in its version: one listing says what changed. A text of its own
// (the revision) changes with every change, so that replicas need not list (docs/formats/snmp.md).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"
#include "base/task_pool.h"
#include "snmp/inventory/inventory.h"
#include "snmp/inventory/json_fields.h"
#include "snmp/inventory/known_credentials.h"
#include "storage/text_store.h"

namespace varve::snmp::inventory {

using Inventories = std::map<std::string, std::shared_ptr<const Inventory>, std::less<>>;  // by tenant

inline constexpr std::size_t kDevicesMax = 100'000;  // of a tenant

struct ChangeCount {
  std::size_t added = 0, changed = 0, removed = 0;
  [[nodiscard]] std::size_t all() const { return added + changed + removed; }
};
struct ChangeCounts {
  ChangeCount devices = {}, oidsets = {}, correlators = {};
};

// All methods are thread-safe and may block on the texts. Errors: those of the texts.
class InventoryStore {
 public:
  // What is referred to must outlive this. `pool`: many texts are read and written at a time there. `credentials`:
  // those that devices may name; nullptr: any.
  InventoryStore(storage::TextStore& texts, TaskPool& pool, const Clock& clock,
                 const KnownCredentials* credentials = nullptr)
      : texts_(texts), pool_(pool), clock_(clock), credentials_(credentials) {}

  // Is there no file of credentials here? Then nothing that this process polls is answered.
  [[nodiscard]] bool lacks_credentials() const { return credentials_ != nullptr && credentials_->all() == nullptr; }

  // Told of all inventories as soon as they have changed, here or elsewhere, by whoever finds that; before it is used.
  using Listener = std::function<void(std::shared_ptr<const Inventories>)>;
  void listen(Listener listener) { listener_ = std::move(listener); }

  // Reads what has changed, on any replica. Cheap where nothing has: one text is read.
  Status refresh();

  // As of the last refresh or change here; never nullptr. Does not block.
  [[nodiscard]] std::shared_ptr<const Inventories> all() const;
  [[nodiscard]] std::shared_ptr<const Inventory> of(std::string_view tenant) const;

  struct Edited {
    ChangeCounts counts = {};
    Faults faults = {};  // not empty: nothing was changed
  };
  // Calls `edit` with the newest inventory of a tenant, checks what it made of it, and stores the difference, unless
  // `edit` or the check finds faults, or `only_check`.
  template <class Edit>
  Result<Edited> change(const std::string& tenant, bool only_check, const Edit& edit) {
    const MutexLock lock(changing_);
    VARVE_RETURN_IF_ERROR(refresh());
    const std::shared_ptr<const Inventory> before = of(tenant);
    Inventory after = *before;
    Edited out;
    edit(after, out.faults);
    VARVE_RETURN_IF_ERROR(finish(tenant, *before, after, only_check, out));
    return out;
  }

 private:
  struct Slot {
    std::string tenant = {};
    char kind = 0;
    std::string name = {};
    auto operator<=>(const Slot&) const = default;
  };
  using Versions = std::map<Slot, std::vector<std::string>>;  // ascending; the last one counts
  struct Step {
    Slot slot = {};
    std::string text = {};  // empty: it goes
  };

  void check_credentials(const std::string& tenant, const Inventory& before, const Inventory& after,
                         Faults& faults) const;
  Status finish(const std::string& tenant, const Inventory& before, const Inventory& after, bool only_check,
                Edited& out) VARVE_REQUIRES(changing_);
  Status store(const std::vector<Step>& steps) VARVE_REQUIRES(changing_);
  [[nodiscard]] Result<Versions> list() const;
  // False: something went while it was read, so list again.
  Result<bool> take(Versions found) VARVE_REQUIRES(reading_);

  storage::TextStore& texts_;
  TaskPool& pool_;
  const Clock& clock_;
  const KnownCredentials* const credentials_;
  Listener listener_ = {};
  Mutex changing_;  // the locks are taken in this order
  Mutex reading_;
  Versions versions_ VARVE_GUARDED_BY(reading_);  // that inventories_ has
  std::string revision_ VARVE_GUARDED_BY(reading_);
  std::int64_t listed_ns_ VARVE_GUARDED_BY(reading_) = 0;
  mutable Mutex mutex_;
  std::shared_ptr<const Inventories> inventories_ VARVE_GUARDED_BY(mutex_) = std::make_shared<const Inventories>();
};

}  // namespace varve::snmp::inventory
