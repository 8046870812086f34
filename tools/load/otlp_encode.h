// SPDX-License-Identifier: Apache-2.0
// Samples as OTLP's metrics, in protobuf.
#pragma once

#include <memory>

#include "tools/load/encode.h"

namespace varve::load {

// One gauge for each field, with the points of all lines of a body; a host's tags are the attributes of its points.
std::unique_ptr<Encoder> make_otlp_encoder(const DataSet& data);

}  // namespace varve::load
