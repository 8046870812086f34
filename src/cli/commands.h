// SPDX-License-Identifier: Apache-2.0
// The commands of the program: `varve COMMAND …`.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace varve::cli {

// `args` without the program's name, `environment` as NAME=value. Returns the exit status: 0 done, 1 failed while
// running, 2 wrong arguments or configuration (each fault is one line on stderr).
int run(std::span<const std::string_view> args, std::vector<std::string> environment);

}  // namespace varve::cli
