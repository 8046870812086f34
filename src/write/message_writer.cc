// SPDX-License-Identifier: Apache-2.0
#include "write/message_writer.h"

#include <cstring>
#include <utility>

#include "message/row.h"

namespace varve::write {

void MessageWriter::append(std::string_view tenant, message::Batch& batch, storage::MessageStore::AppendDone done) {
  constexpr std::int64_t kUsPerMs = 1000;
  const std::int64_t now_us = clock_.now_ms() * kUsPerMs;
  const std::int64_t first_us = now_us - times_.retention_ms * kUsPerMs;
  const std::int64_t last_us = now_us + times_.future_ms * kUsPerMs;
  if (batch.empty()) return done({});
  if (batch.first_us() < first_us || batch.last_us() > last_us) {
    message::Batch kept;
    const auto rows = batch.bytes();
    for (const std::byte *at = rows.data(), *const end = at + rows.size(); at != end;) {
      const message::RowView row{at};
      const std::size_t bytes = row.bytes();
      if (row.time_us() >= first_us && row.time_us() <= last_us) {
        std::memcpy(kept.reserve(bytes), at, bytes);
        kept.added(bytes, row.time_us());
      }
      at += bytes;
    }
    refused_.add(batch.rows() - kept.rows());
    batch = std::move(kept);
    if (batch.empty()) return done({});
  }
  store_.append_messages(tenant, batch, std::move(done));
}

}  // namespace varve::write
