// SPDX-License-Identifier: Apache-2.0
// Elasticsearch's bulk requests into rows, and the answer to them: docs/protocols/elasticsearch-bulk.md.
//
//   {"create":{"_index":"logs"}}
//   {"@timestamp":"2026-11-24T13:19:27.123Z","message":"a line","host":{"name":"web01"}}
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "message/builder.h"
#include "protocol/messages/ndjson.h"
#include "protocol/outcome.h"

namespace varve::protocol::elasticsearch {

struct BulkOptions {
  std::string_view index;   // of actions that name none; may be ""
  std::int64_t now_us = 0;  // time of documents that have none
  messages::Limits limits;
};

struct Bulk {
  Outcome outcome;    // positions are numbers of items, from 0
  std::string items;  // of the answer, without the brackets: one a document, parted by commas
};

// Adds the good documents to the batch. 64 bytes behind the body are readable. Errors (invalid, too_large): the whole
// is wrong, and the batch holds an unspecified part of it.
Result<Bulk> parse_bulk(std::string_view body, const BulkOptions& options, message::Batch& batch);

// {"took":5,"errors":false,"items":[…]}
std::string bulk_answer(const Bulk& bulk, std::int64_t took_ms);

// {"error":{"root_cause":[…],"type":"…","reason":"…"},"status":400}
std::string error_json(int status, std::string_view reason);

}  // namespace varve::protocol::elasticsearch
