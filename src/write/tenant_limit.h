// SPDX-License-Identifier: Apache-2.0
// TenantLimit: the tenants that have series or messages, and whether one more is allowed (limits.tenants).
#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"

namespace varve::write {

// Thread-safe.
class TenantLimit {
 public:
  // `uncounted`: a tenant that is always allowed.
  TenantLimit(std::size_t max, std::string uncounted) : max_(max), uncounted_(std::move(uncounted)) {}

  // May this tenant get a series? Error: limit (it has none yet, and the limit is reached).
  [[nodiscard]] Status check(std::string_view tenant) const;
  // The same, and counts it from now on.
  Status admit(std::string_view tenant);

  // Replaces the set of tenants that have series by the store's. Those admitted since the last time stay once more:
  // what they write may have been on its way when the store was asked.
  void set(const std::vector<std::string>& tenants);
  // Has a tenant been refused since set()?
  [[nodiscard]] bool has_refused() const;

 private:
  [[nodiscard]] Status check_locked(std::string_view tenant) const VARVE_REQUIRES(mutex_);

  const std::size_t max_;
  const std::string uncounted_;
  mutable Mutex mutex_;
  std::set<std::string, std::less<>> tenants_ VARVE_GUARDED_BY(mutex_);
  std::set<std::string, std::less<>> fresh_ VARVE_GUARDED_BY(mutex_);  // of them, admitted since set()
  mutable bool has_refused_ VARVE_GUARDED_BY(mutex_) = false;
};

}  // namespace varve::write
