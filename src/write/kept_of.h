// SPDX-License-Identifier: Apache-2.0
// KeptOf: says of a line group which of Options::Shorter counts for it (KeptGroup::kept). Not set: none does.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "model/tags.h"

namespace varve::write {

// Tags are sorted. Thread-safe.
using KeptOf = std::function<std::uint8_t(std::string_view tenant, const model::TagViews& tags,
                                          std::span<const std::string_view> metrics)>;

}  // namespace varve::write
