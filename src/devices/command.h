// SPDX-License-Identifier: Apache-2.0
// `varve device`: the inventory of a running server.
#pragma once

#include <span>
#include <string_view>

namespace varve::devices {

// `arguments`: what stands behind `device`. Prints, and returns the exit status: 0 done, 1 failed, 2 wrong arguments.
int run(std::span<const std::string_view> arguments);

}  // namespace varve::devices
