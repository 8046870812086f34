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

// In the order of docs/operate/configuration.md.
std::span<const Key> keys();

// nullptr if there is no such key.
const Key* find_key(std::string_view name);

// The known key that is most similar to an unknown one; nullptr if none is.
const Key* nearest_key(std::string_view name);

// slots.width → VARVE_SLOTS_WIDTH
std::string environment_name(std::string_view key);

// The value as it may be displayed: passwords become ***.
std::string shown_value(std::string_view key, std::string_view text);

}  // namespace varve::config
