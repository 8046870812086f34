// SPDX-License-Identifier: Apache-2.0
// `varve logs`.
#pragma once

#include <span>
#include <string_view>

namespace varve::logs {

// The arguments behind `logs`. Exit status: 0 done, 1 failed while running, 2 wrong arguments.
int run(std::span<const std::string_view> arguments);

}  // namespace varve::logs
