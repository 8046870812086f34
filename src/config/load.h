// SPDX-License-Identifier: Apache-2.0
// Combines a configuration (a flag overrides environment, file and default, in this order), then checks constraints
// between keys.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "config/yaml.h"

namespace varve::config {

struct Sources {
  std::optional<std::string> file;       // path given with --config
  std::vector<Setting> flags;            // the last of two for one key counts
  std::vector<std::string> environment;  // NAME=value, all of it; only VARVE_… is looked at
};

struct Loaded {
  Config config;                    // meaningful only without faults
  std::vector<std::string> faults;  // one line each: key, value, what is allowed, where it was said
  std::vector<Setting> effective;   // every key with its text and origin ("": its default), secrets hidden
};

// Reads the file; the rest is pure.
Loaded load(const Sources& sources);

}  // namespace varve::config
