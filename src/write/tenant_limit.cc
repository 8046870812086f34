// SPDX-License-Identifier: Apache-2.0
#include "write/tenant_limit.h"

namespace varve::write {

Status TenantLimit::check_locked(std::string_view tenant) const {
  if (tenants_.size() < max_ || tenant == uncounted_ || tenants_.contains(tenant)) return {};
  has_refused_ = true;
  return fail(Code::limit, "there are as many tenants as limits.tenants allows (" + std::to_string(max_) + "): '" +
                               std::string(tenant) + "' would be one more");
}

Status TenantLimit::check(std::string_view tenant) const {
  const MutexLock lock(mutex_);
  return check_locked(tenant);
}

Status TenantLimit::admit(std::string_view tenant) {
  const MutexLock lock(mutex_);
  VARVE_RETURN_IF_ERROR(check_locked(tenant));
  if (tenant != uncounted_ && tenants_.emplace(tenant).second) fresh_.emplace(tenant);
  return {};
}

void TenantLimit::set(const std::vector<std::string>& tenants) {
  const MutexLock lock(mutex_);
  tenants_ = {tenants.begin(), tenants.end()};
  tenants_.erase(uncounted_);
  tenants_.merge(fresh_);
  fresh_.clear();
  has_refused_ = false;
}

bool TenantLimit::has_refused() const {
  const MutexLock lock(mutex_);
  return has_refused_;
}

}  // namespace varve::write
