// SPDX-License-Identifier: Apache-2.0
// UUIDs as text: 0f8fad5b-d9cb-469f-a165-70867728950e.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace varve {

using Uuid = std::array<char, 16>;

// All of the text, digits in any case.
std::optional<Uuid> read_uuid(std::string_view text);
// Of 16 bytes; in lower case.
std::string uuid_text(std::string_view bytes);
// As text; version 4.
std::string random_uuid();

}  // namespace varve
