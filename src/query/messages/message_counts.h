// SPDX-License-Identifier: Apache-2.0
// Counts the messages that fulfil a condition by the values of columns: sealed blocks say it from their tables, without
// a message being put together.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "base/result.h"
#include "message/block/block.h"
#include "message/row.h"
#include "query/deadline.h"
#include "query/messages/message_search.h"
#include "storage/message_store.h"

namespace varve::query {

// `row` has the values of the columns that are grouped by, and a time in the window; nothing else of it counts. It is
// valid during the call only. A group may come several times.
using GroupSink = std::function<Status(message::RowView row, std::uint64_t messages)>;

// Errors: as of search().
Status count_groups(const storage::MessageStore& store, const MessageSearch& search,
                    std::span<const message::block::GroupColumn> columns, const Deadline& deadline,
                    const GroupSink& sink);

}  // namespace varve::query
