// SPDX-License-Identifier: Apache-2.0
// A tree as JSON text again.
#pragma once

#include "protocol/json/tree.h"
#include "protocol/json/writer.h"

namespace varve::protocol::json {

// Numbers, and what else is no text, as they were read.
void append_node(Writer& json, const Node& node);

}  // namespace varve::protocol::json
