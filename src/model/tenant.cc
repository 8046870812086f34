// SPDX-License-Identifier: Apache-2.0
#include "model/tenant.h"

#include <algorithm>

namespace varve::model {

bool is_tenant_name(std::string_view name) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
           c == '-';
  };
  // In a path, clients and proxies take "." and ".." away.
  const bool means_something = name.find_first_not_of('.') != std::string_view::npos;
  return means_something && name.size() <= 64 && std::all_of(name.begin(), name.end(), allowed);
}

Status check_writable(std::string_view tenant) {
  if (tenant != kOwnTenant) return {};
  return fail(Code::conflict, "the tenant 'varve' has the server's own metrics and is read only");
}

}  // namespace varve::model
