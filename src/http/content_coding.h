// SPDX-License-Identifier: Apache-2.0
// How the body of a request is coded: Content-Encoding, over all its lines.
#pragma once

#include <vector>

#include "base/result.h"
#include "codec/compression.h"
#include "http/handler.h"

namespace varve::http {

// Two are what a proxy that compresses makes of a client that does. Each layer may unpack to a thousand times its size.
inline constexpr std::size_t kCodingsMax = 2;

// The codings in the order in which they were applied; the identity, which counts as one, is left out. A body without
// any whose content type is application/gzip is gzip's, as KairosDB's clients say it;
// `protobuf_is_snappy`: Route has it.
// Error: invalid (to be answered with 415): an unknown one, or too many.
Result<std::vector<codec::Coding>> content_codings(const Request& request, bool protobuf_is_snappy);

}  // namespace varve::http
