// SPDX-License-Identifier: Apache-2.0
// Finds the messages that fulfil a condition, in order of time, then of arrival, the same each time.
//
// Parts of a store are read in the order of their times, and only as many as the caller takes: the last hundred of a
// month do not read the month. In sealed blocks the condition is evaluated on their columns, and only what fulfils it
// is put together.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/result.h"
#include "message/block/block.h"
#include "message/condition.h"
#include "message/row.h"
#include "query/deadline.h"
#include "storage/message_store.h"

namespace varve::query {

struct MessageSearch {
  std::string tenant;
  std::int64_t first_us = 0;  // both ends belong to the range
  std::int64_t last_us = 0;
  message::Condition condition;
  bool newest_first = false;
};

// Called with each message that was found; the row is valid during the call only. False: enough.
using MessageSink = std::function<Result<bool>(message::RowView row)>;

// Errors: those of the store and of the sink; timeout, cancelled.
Status search(const storage::MessageStore& store, const MessageSearch& search, const Deadline& deadline,
              const MessageSink& sink);

// Which messages of the block are found.
Result<message::block::Bitmap> find_in(message::block::Block& block, const MessageSearch& search,
                                       const std::function<Status()>& go_on);

}  // namespace varve::query
