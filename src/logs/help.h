// SPDX-License-Identifier: Apache-2.0
// What `varve logs --help` prints.
#pragma once

#include <string>

namespace varve::logs {

std::string help_text();

}  // namespace varve::logs
