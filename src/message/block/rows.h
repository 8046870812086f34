// SPDX-License-Identifier: Apache-2.0
// Packed rows of a block, put together again.
#pragma once

#include <cstdint>
#include <span>

#include "message/block/columns.h"
#include "message/block/fields.h"
#include "message/block/texts.h"
#include "message/builder.h"

namespace varve::message::block {

// Adds the rows with these numbers, in their order, to `out`.
Status add_rows(std::span<const std::uint32_t> which, Columns& columns, Fields& fields, Texts& texts, Batch& out);

}  // namespace varve::message::block
