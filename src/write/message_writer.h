// SPDX-License-Identifier: Apache-2.0
// MessageWriter: stores those messages of a batch that are taken; for protocols whose senders are not told of single
// ones.
#pragma once

#include <string_view>

#include "base/metrics.h"
#include "message/builder.h"
#include "storage/message_store.h"
#include "write/message_intake.h"

namespace varve::write {

// Thread-safe. What is referred to must outlive this and every append.
class MessageWriter {
 public:
  MessageWriter(storage::MessageStore& store, MessageIntake& intake, Counter& refused)
      : store_(store), intake_(intake), refused_(refused) {}

  // Takes what is too old or too far ahead, and what overload drops, out of the batch, counts it, and appends the rest;
  // as MessageStore::append_messages(). A batch of which nothing is left is done.
  void append(std::string_view tenant, message::Batch& batch, storage::MessageStore::AppendDone done);

 private:
  void leave_out(message::Batch& batch, const protocol::messages::Limits& limits);

  storage::MessageStore& store_;
  MessageIntake& intake_;
  Counter& refused_;
};

}  // namespace varve::write
