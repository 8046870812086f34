// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace varve::devices {

std::string_view help_text();

}  // namespace varve::devices
