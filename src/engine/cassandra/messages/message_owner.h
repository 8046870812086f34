// SPDX-License-Identifier: Apache-2.0
// Message owners: in the tables of messages the messages of a class stand as those of a tenant of their own, whose name
// is the tenant's, a slash and the class'; those of the default class as the tenant's. So each class has buckets,
// blocks and times of its own. No tenant's name has a slash.
#pragma once

#include <string>
#include <string_view>

namespace varve::engine::cassandra {

// `name` of the class: "" is the default one.
inline std::string message_owner(std::string_view tenant, std::string_view name) {
  std::string owner(tenant);
  if (!name.empty()) owner.append("/").append(name);
  return owner;
}

inline std::string_view tenant_of_owner(std::string_view owner) { return owner.substr(0, owner.find('/')); }

inline std::string_view class_of_owner(std::string_view owner) {
  const std::size_t slash = owner.find('/');
  return slash == std::string_view::npos ? std::string_view() : owner.substr(slash + 1);
}

}  // namespace varve::engine::cassandra
