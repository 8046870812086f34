// SPDX-License-Identifier: Apache-2.0
// Loki's push requests into rows: docs/protocols/loki-push.md.
//
//   {"streams":[{"stream":{"job":"api"},"values":[["1700000000000000000","line",{"trace_id":"…"}]]}]}
//
//   PushRequest { repeated Stream streams = 1; }      Stream { string labels = 1; repeated Entry entries = 2; }
//   Entry { Timestamp timestamp = 1; string line = 2; repeated Label structuredMetadata = 3; }
//   Timestamp { int64 seconds = 1; int32 nanos = 2; }  Label { string name = 1; string value = 2; }
#pragma once

#include <string_view>

#include "base/result.h"
#include "message/builder.h"
#include "protocol/messages/ndjson.h"

namespace varve::protocol::loki {

// Both give the same; tests compare them.
using messages::Way;

// Adds the entries to the batch. kBodyPadding bytes behind the body are readable. Error, in Loki's words: the request
// is wrong, and the batch holds an unspecified part of it.
Status parse_push_json(std::string_view body, const messages::Limits& limits, message::Batch& batch,
                       Way way = Way::fast);

// The same of protobuf; snappy is already undone.
Status parse_push_protobuf(std::string_view body, const messages::Limits& limits, message::Batch& batch);

}  // namespace varve::protocol::loki
