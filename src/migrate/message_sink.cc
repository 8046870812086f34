// SPDX-License-Identifier: Apache-2.0
#include "migrate/message_sink.h"

#include <cstring>

#include "base/wait.h"
#include "migrate/retry.h"

namespace varve::migrate {
namespace {

constexpr std::size_t kMessagesOfBatch = 10'000;
constexpr std::size_t kBytesOfBatch = std::size_t{4} << 20;

}  // namespace

Status MessageSink::add(message::RowView row) {
  const std::size_t bytes = row.bytes();
  std::memcpy(batch_.reserve(bytes), row.at, bytes);
  batch_.added(bytes, row.time_us());
  return batch_.rows() >= kMessagesOfBatch || batch_.bytes().size() >= kBytesOfBatch ? flush() : Status();
}

Status MessageSink::append() {
  return wait_for([&](const storage::MessageStore::AppendDone& done) {
    target_.store.append_messages(target_.tenant, batch_, done);
  });
}

Status MessageSink::flush() {
  if (batch_.empty()) return {};
  const Status status = retried(stopping_, [&] { return append(); });
  batch_.clear();
  return status;
}

}  // namespace varve::migrate
