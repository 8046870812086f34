// SPDX-License-Identifier: Apache-2.0
// GoOn: is the answer to a long call still wanted?
#pragma once

#include <functional>

#include "base/result.h"

namespace varve::storage {

// Asked now and then; does not wait. Its error ends the call.
using GoOn = std::function<Status()>;

}  // namespace varve::storage
