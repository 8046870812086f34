// SPDX-License-Identifier: Apache-2.0
// The one table of configuration keys: name, default, meaning, and how its text becomes a field of Config.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "config/config.h"

namespace varve::config {

struct Key {
  std::string_view name;      // the path in the YAML file and the flag
  std::string_view fallback;  // the default, as text
  std::string_view meaning;   // half a line
  // Parses the text into the config. The error's message says what is allowed.
  Status (*set)(Config&, std::string_view text);
};

// In the order of docs/configuration.md.
std::span<const Key> keys();

// nullptr if there is none of this name.
const Key* find_key(std::string_view name);

// The key that the writer of an unknown one may have meant; nullptr if none is near.
const Key* nearest_key(std::string_view name);

// slots.width → VARVE_SLOTS_WIDTH
std::string environment_name(std::string_view key);

// The value as it may be shown: passwords inside become ***.
std::string shown_value(std::string_view key, std::string_view text);

}  // namespace varve::config
