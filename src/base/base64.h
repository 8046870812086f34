// SPDX-License-Identifier: Apache-2.0
// Base64 with padding (RFC 4648, section 4).
#pragma once

#include <string>
#include <string_view>

namespace varve {

std::string to_base64(std::string_view bytes);

}  // namespace varve
