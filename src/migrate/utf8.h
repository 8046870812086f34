// SPDX-License-Identifier: Apache-2.0
// UTF-8 as Java writes it ("modified"): zero as two bytes, surrogates as three bytes each.
#pragma once

#include <string>
#include <string_view>

namespace varve::migrate {

// Replaces `out` by the text in UTF-8. False: not modified UTF-8, or half of a surrogate pair.
bool from_modified_utf8(std::string_view bytes, std::string& out);

}  // namespace varve::migrate
