// SPDX-License-Identifier: Apache-2.0
// Tenant names: 1–64 of A-Z a-z 0-9 . _ -, not dots alone
#pragma once

#include <string_view>

#include "base/result.h"

namespace varve::model {

// The tenant of the server's own metrics. Clients may read it; only the server writes.
inline constexpr std::string_view kOwnTenant = "varve";

bool is_tenant_name(std::string_view name);

// May a client write to this tenant or delete from it? Error: conflict.
Status check_writable(std::string_view tenant);

}  // namespace varve::model
