// SPDX-License-Identifier: Apache-2.0
// KnownCredentials: those of the file as it was read last, for whoever asks whether a device may name one.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/mutex.h"
#include "snmp/inventory/credentials.h"

namespace varve::snmp::inventory {

// Of one that the tenant may not name and of one that is not there the same, so that names cannot be guessed.
inline std::string no_credential(std::string_view name) {
  return "there is no credential \"" + std::string(name) + "\" for this tenant";
}

// All methods are thread-safe.
class KnownCredentials {
 public:
  void set(Credentials credentials) {
    auto made = std::make_shared<const Credentials>(std::move(credentials));
    const MutexLock lock(mutex_);
    credentials_ = std::move(made);
  }
  // nullptr: this process has no file.
  [[nodiscard]] std::shared_ptr<const Credentials> all() const {
    const MutexLock lock(mutex_);
    return credentials_;
  }
  // May a device of this tenant name it? A process without a file cannot tell: those that poll refuse it then.
  [[nodiscard]] bool may_name(std::string_view tenant, std::string_view name) const {
    const auto credentials = all();
    return credentials == nullptr || find_credential(*credentials, tenant, name) != nullptr;
  }

 private:
  mutable Mutex mutex_;
  std::shared_ptr<const Credentials> credentials_ VARVE_GUARDED_BY(mutex_);
};

}  // namespace varve::snmp::inventory
