// SPDX-License-Identifier: Apache-2.0
// TenantLimit: which tenants have series, and whether there may be one more (limits.tenants).
#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace varve::write {

// Thread-safe.
class TenantLimit {
 public:
  // `uncounted`: a tenant that there may always be.
  TenantLimit(std::size_t max, std::string uncounted) : max_(max), uncounted_(std::move(uncounted)) {}

  // May this tenant get a series? Error: limit (it has none yet, and there are as many tenants as there may be).
  [[nodiscard]] Status check(std::string_view tenant) const;
  // The same, and it counts from now on.
  Status admit(std::string_view tenant);

  // These have series, and no others: what the store says now.
  void set(const std::vector<std::string>& tenants);
  // Was a tenant refused since set()?
  [[nodiscard]] bool has_refused() const;

 private:
  [[nodiscard]] Status check_locked(std::string_view tenant) const;

  const std::size_t max_;
  const std::string uncounted_;
  mutable std::mutex mutex_;  // protects what follows
  std::set<std::string, std::less<>> tenants_;
  mutable bool has_refused_ = false;
};

}  // namespace varve::write
