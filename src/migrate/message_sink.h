// SPDX-License-Identifier: Apache-2.0
// MessageSink: writes the messages of one thread to varve in batches; a batch is appended when it is large.
#pragma once

#include <atomic>
#include <string>

#include "message/builder.h"
#include "storage/message_store.h"

namespace varve::migrate {

// Where messages go. Shared by the threads; outlives them.
struct MessageTarget {
  storage::MessageStore& store;
  std::string tenant;
};

// One thread.
class MessageSink {
 public:
  MessageSink(const MessageTarget& target, const std::atomic<bool>& stopping) : target_(target), stopping_(stopping) {}

  // Error: an append failed after all retries; nothing may be added afterwards.
  Status add(message::RowView row);
  // Everything added is durable and visible.
  Status flush();

 private:
  Status append();

  const MessageTarget& target_;
  const std::atomic<bool>& stopping_;
  message::Batch batch_;
};

}  // namespace varve::migrate
