// SPDX-License-Identifier: Apache-2.0
// Tenant names: 1–64 of A-Z a-z 0-9 . _ -
#pragma once

#include <string_view>

#include "base/result.h"

namespace varve::model {

// Of the server's own metrics. Clients read it; nobody but the server writes.
inline constexpr std::string_view kOwnTenant = "varve";

bool is_tenant_name(std::string_view name);

// May a client write into this tenant, or erase what it has? Error: conflict.
Status check_writable(std::string_view tenant);

}  // namespace varve::model
