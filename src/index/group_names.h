// SPDX-License-Identifier: Apache-2.0
// GroupNames: the arguments that a line group was defined with.
#pragma once

#include <string>
#include <vector>

#include "model/ids.h"
#include "model/tags.h"

namespace varve::index {

struct GroupNames {
  model::TenantId tenant{};
  model::Tags tags;
  std::vector<std::string> metrics;  // in order of its series
};

}  // namespace varve::index
