// SPDX-License-Identifier: Apache-2.0
// Writes the free fields: names, shapes, and the values of each field.
#pragma once

#include "message/block/gather.h"
#include "message/block/packed.h"
#include "message/block/parts.h"

namespace varve::message::block {

// Fields of which many messages have one of a few values become facets of `gathered`.
void write_fields(Gathered& gathered, Packer& packer, PartWriter& parts);

}  // namespace varve::message::block
