// SPDX-License-Identifier: Apache-2.0
#include "api/otlp/told_targets.h"

#include <string>

namespace varve::api {
namespace {

codec::Hash128 of_tenant(std::string_view tenant, const codec::Hash128& resource) {
  std::string bytes(tenant);
  bytes.append(reinterpret_cast<const char*>(&resource), sizeof resource);
  return codec::hash128(bytes);
}

}  // namespace

std::optional<model::Timestamp> ToldTargets::last(std::string_view tenant, const codec::Hash128& resource) const {
  const codec::Hash128 key = of_tenant(tenant, resource);
  const MutexLock lock(mutex_);
  for (const Times* times : {&newer_, &older_}) {
    if (const auto at = times->find(key); at != times->end()) return at->second;
  }
  return std::nullopt;
}

void ToldTargets::note(std::string_view tenant, const codec::Hash128& resource, model::Timestamp time) {
  const codec::Hash128 key = of_tenant(tenant, resource);
  const MutexLock lock(mutex_);
  newer_[key] = time;
  if (newer_.size() < most_ / 2) return;
  older_ = std::move(newer_);
  newer_.clear();
}

}  // namespace varve::api
