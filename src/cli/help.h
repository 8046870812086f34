// SPDX-License-Identifier: Apache-2.0
// What --help teaches: each command with an example.
#pragma once

#include <string>
#include <string_view>

namespace varve::cli {

std::string overview();
std::string help(std::string_view command);

}  // namespace varve::cli
