// SPDX-License-Identifier: Apache-2.0
// Whose fault it is that work in the background fails.
#pragma once

#include "base/result.h"

namespace varve::engine::cassandra {

// Of what the work is made of, not of a server that does not answer or has too much to do (limit): trying again soon is
// of no use. `invalid` is what Cassandra says of a row that it does not take, as of one that is too large.
inline bool is_of_data(Code code) {
  return code == Code::corrupt || code == Code::unsupported || code == Code::invalid || code == Code::too_large;
}

}  // namespace varve::engine::cassandra
