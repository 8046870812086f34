// SPDX-License-Identifier: Apache-2.0
// The messages that fulfil a condition as a source of rows: who asks takes as many as he wants, when he wants them.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "message/row_source.h"
#include "query/messages/message_search.h"
#include "storage/message_store.h"

namespace varve::query {

// In the order of search(). What is stored when this is called is found, and nothing that comes later. `check` is asked
// now and then whether to go on; its error becomes that of next(). The source holds what it needs of `search` and
// `check`; the store has to outlive it. Errors: as of search().
Result<std::unique_ptr<message::RowSource>> found_rows(const storage::MessageStore& store, const MessageSearch& search,
                                                       std::function<Status()> check);

// The time of the tenant's oldest message; nullopt: there is none. `check` and errors: as above.
Result<std::optional<std::int64_t>> oldest_message(const storage::MessageStore& store, const std::string& tenant,
                                                   std::function<Status()> check);

// Of these parts of the tenant.
std::unique_ptr<message::RowSource> found_in_parts(std::vector<storage::MessagePart> parts, const MessageSearch& search,
                                                   std::function<Status()> check);

}  // namespace varve::query
