// SPDX-License-Identifier: Apache-2.0
// MessageWriter: stores messages whose time is one that is kept; for protocols whose senders are not told of single
// ones.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/clock.h"
#include "base/metrics.h"
#include "message/builder.h"
#include "storage/message_store.h"

namespace varve::write {

struct MessageTimes {
  std::int64_t retention_ms = 0;  // an older message is refused
  std::int64_t future_ms = 0;     // one that is further ahead of the clock, too
};

// Thread-safe. What is referred to must outlive this and every append.
class MessageWriter {
 public:
  MessageWriter(storage::MessageStore& store, const MessageTimes& times, const Clock& clock, Counter& refused)
      : store_(store), times_(times), clock_(clock), refused_(refused) {}

  // Takes what is too old or too far ahead out of the batch, counts it, and appends the rest; as
  // MessageStore::append_messages(). A batch of which nothing is left is done.
  void append(std::string_view tenant, message::Batch& batch, storage::MessageStore::AppendDone done);

 private:
  storage::MessageStore& store_;
  const MessageTimes times_;
  const Clock& clock_;
  Counter& refused_;
};

}  // namespace varve::write
