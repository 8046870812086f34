// SPDX-License-Identifier: Apache-2.0
// Inside of the parsers of queries: how they refuse one.
#pragma once

#include <expected>
#include <string>
#include <utility>

#include "base/result.h"

namespace varve::protocol::opentsdb {

inline std::unexpected<Error> invalid(std::string message) { return fail(Code::invalid, std::move(message)); }

}  // namespace varve::protocol::opentsdb
