// SPDX-License-Identifier: Apache-2.0
// The texts of --help: each command with an example.
#pragma once

#include <string>
#include <string_view>

namespace varve::cli {

std::string overview();
std::string help(std::string_view command);

}  // namespace varve::cli
