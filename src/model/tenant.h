// SPDX-License-Identifier: Apache-2.0
// Tenant names: 1–64 of A-Z a-z 0-9 . _ -
#pragma once

#include <string_view>

namespace varve::model {

bool is_tenant_name(std::string_view name);

}  // namespace varve::model
