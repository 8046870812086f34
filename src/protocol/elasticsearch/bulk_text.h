// SPDX-License-Identifier: Apache-2.0
// For tests: what a bulk request gives, as text.
#pragma once

#include <string>
#include <string_view>

#include "protocol/elasticsearch/bulk.h"
#include "protocol/messages/messages_text.h"

namespace varve::protocol::elasticsearch {

// Messages and bad items ("! 0: reason"), or "!! " and the error of the whole. `items`: of the answer.
inline std::string bulk_text(std::string_view body, std::string_view index = "", std::string* items = nullptr) {
  BulkOptions options;
  options.index = index;
  options.now_us = 7;
  options.limits.first_us = -1'000'000;
  options.limits.last_us = 4'000'000'000'000'000;
  message::Batch batch;
  const auto bulk = parse_bulk(body, options, batch);
  if (!bulk) return "!! " + bulk.error().message;
  if (items != nullptr) *items = bulk->items;
  return messages::text_of(batch, bulk->outcome);
}

}  // namespace varve::protocol::elasticsearch
