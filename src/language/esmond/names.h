// SPDX-License-Identifier: Apache-2.0
// Names in esmond's paths: what is no letter, digit, '_', '.' or '-' is '@' and two hexadecimal digits, so that a name
// has no slash: xe-0@2F0@2F0.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace varve::language::esmond {

// A capital Y is written @59, as esmond's own clients do: its list of letters lacks it.
std::string at_encode(std::string_view name);
// Of either case. An '@' without two digits behind it stands for itself.
std::string at_decode(std::string_view text);

// Each encoded, with slashes between them.
std::string at_encode(std::span<const std::string> names);

}  // namespace varve::language::esmond
