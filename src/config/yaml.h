// SPDX-License-Identifier: Apache-2.0
// A YAML file as a flat list of settings. The only place that knows yaml-cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace varve::config {

struct Setting {
  std::string key;     // dotted path
  std::string value;   // a sequence is joined with commas
  std::string origin;  // where it was said, for a person: "varve.yaml:3"
};

// `name` is what the document is called in origins and errors. An empty document has no settings.
// Error: invalid (not YAML, not a map, a key that is given twice, something that is neither a scalar nor a list of
// scalars).
Result<std::vector<Setting>> parse_yaml(std::string_view text, std::string_view name);

// The document as JSON. Scalars are texts, but for true, false and null where they stand plain; whoever reads the JSON
// takes texts for numbers. Errors: invalid (not YAML, a key that is no scalar or given twice, more than a million
// values).
Result<std::string> yaml_to_json(std::string_view text, std::string_view name);

// Nested YAML of settings in their order (those of one prefix stand together); `origin` follows as a comment.
std::string to_yaml(const std::vector<Setting>& settings);

}  // namespace varve::config
