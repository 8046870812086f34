// SPDX-License-Identifier: Apache-2.0
// Rows of several senders in order of time, as frames and blocks hold them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "message/row.h"

namespace varve::message {

// The rows of all pieces, which must be well-formed and stay where they are, in the order of time_order(); those that
// are equal in it stay as they were.
std::vector<RowView> sorted_rows(std::span<const std::span<const std::byte>> pieces);

}  // namespace varve::message
