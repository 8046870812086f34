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
  MessageWriter(storage::MessageStore& store, MessageIntake& intake, Counter& retimed)
      : store_(store), intake_(intake), retimed_(retimed) {}

  // Appends the batch as MessageStore::append_messages(). What overload drops is taken out of it, and counted; one of
  // which nothing is left is done. A message whose time is too old or too far ahead gets the time of now, and its own
  // as the field device_time: nobody would be told that it was refused, and clocks of devices are wrong when what they
  // say matters most, as they start.
  void append(std::string_view tenant, message::Batch& batch, storage::MessageStore::AppendDone done);

 private:
  void admit(message::Batch& batch, const protocol::messages::Limits& limits);

  storage::MessageStore& store_;
  MessageIntake& intake_;
  Counter& retimed_;
};

}  // namespace varve::write
