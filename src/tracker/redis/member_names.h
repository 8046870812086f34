// SPDX-License-Identifier: Apache-2.0
// How replicas name what they share: a Member's numbers are those of one process, its name is everybody's.
//
//   name := hash:16 bytes tenant:rest          (docs/formats/redis.md)
#pragma once

#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/series_key.h"
#include "tracker/slot_tracker.h"

namespace varve::tracker::redis {

inline std::string member_name(std::string_view tenant, const model::SeriesSetHash& hash) {
  std::string name(hash.bytes.begin(), hash.bytes.end());
  return name.append(tenant);
}

struct NameParts {
  std::string_view tenant;
  model::SeriesSetHash hash;
};
// nullopt: too short to be a name.
inline std::optional<NameParts> split_name(std::string_view name) {
  NameParts parts;
  if (name.size() < parts.hash.bytes.size()) return std::nullopt;
  std::memcpy(parts.hash.bytes.data(), name.data(), parts.hash.bytes.size());
  parts.tenant = name.substr(parts.hash.bytes.size());
  return parts;
}

// Who knows the names. Thread-safe; called without any lock held.
class MemberNames {
 public:
  virtual ~MemberNames() = default;

  [[nodiscard]] virtual std::string tenant(model::TenantId tenant) const = 0;
  // Of a member that this process knows. Never fails, asks nobody.
  [[nodiscard]] virtual std::string name(const Member& member) const = 0;

  // The members of these names, in their order, also of names that another replica has touched first: may ask a store,
  // once for all of them. nullopt: there is none of this name (any more). An error: could not be found out.
  virtual Result<std::vector<std::optional<Member>>> find(std::span<const std::string_view> names) = 0;
};

}  // namespace varve::tracker::redis
