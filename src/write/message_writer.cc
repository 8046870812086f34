// SPDX-License-Identifier: Apache-2.0
#include "write/message_writer.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "message/row.h"

namespace varve::write {

void MessageWriter::append(std::string_view tenant, message::Batch& batch, storage::MessageStore::AppendDone done) {
  if (batch.empty()) return done({});
  const auto limits = intake_.limits();
  const std::int64_t all_from_us = std::max(limits.first_us, limits.all_from_us);
  if (limits.shed != nullptr || batch.first_us() < all_from_us || batch.last_us() > limits.last_us) {
    leave_out(batch, limits);
    if (batch.empty()) return done({});
  }
  store_.append_messages(tenant, batch, std::move(done));
}

void MessageWriter::leave_out(message::Batch& batch, const protocol::messages::Limits& limits) {
  message::Batch kept;
  const auto rows = batch.bytes();
  std::size_t refused = 0;
  for (const std::byte *at = rows.data(), *const end = at + rows.size(); at != end;) {
    const message::RowView row{at};
    const std::size_t bytes = row.bytes();
    const bool in_time = row.time_us() >= limits.first_us && row.time_us() <= limits.last_us;
    const Status status = in_time ? limits.check_row(row) : fail(Code::too_old, limits.too_old);
    if (status) {
      std::memcpy(kept.reserve(bytes), at, bytes);
      kept.added(bytes, row.time_us());
    } else if (!protocol::messages::is_shed(status)) {
      ++refused;
    }
    at += bytes;
  }
  refused_.add(refused);
  intake_.count(limits);
  batch = std::move(kept);
}

}  // namespace varve::write
