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

std::optional<protocol::otlp::TargetSpan> ToldTargets::span(std::string_view tenant,
                                                            const codec::Hash128& resource) const {
  const codec::Hash128 key = of_tenant(tenant, resource);
  const MutexLock lock(mutex_);
  for (const Spans* spans : {&newer_, &older_}) {
    if (const auto at = spans->find(key); at != spans->end()) return at->second;
  }
  return std::nullopt;
}

void ToldTargets::note(std::string_view tenant, const codec::Hash128& resource,
                       const protocol::otlp::TargetSpan& span) {
  const codec::Hash128 key = of_tenant(tenant, resource);
  const MutexLock lock(mutex_);
  newer_[key] = span;
  if (newer_.size() < most_ / 2) return;
  older_ = std::move(newer_);
  newer_.clear();
}

}  // namespace varve::api
