// SPDX-License-Identifier: Apache-2.0
// Questions that sealed blocks answer from their dictionaries and tables. What a block cannot say so, rows say.
#pragma once

#include <functional>
#include <memory>

#include "base/result.h"
#include "message/block/block.h"
#include "message/row.h"
#include "query/deadline.h"
#include "query/messages/message_search.h"
#include "storage/message_store.h"

namespace varve::query {

// `found`: its messages that are found; there is one. False: it cannot tell, and its rows are asked for; then nothing
// of it may count already.
using BlockSink = std::function<Result<bool>(const std::shared_ptr<message::block::Block>& block,
                                             const message::block::Bitmap& found)>;
using RowSink = std::function<Status(message::RowView row)>;

// Calls `block` for the blocks, and `row` with each message that is found in what is left. A message that was sent
// twice counts once. Errors: as of search().
Status answer_by_blocks(const storage::MessageStore& store, const MessageSearch& search, const Deadline& deadline,
                        const BlockSink& block, const RowSink& row);

}  // namespace varve::query
