// SPDX-License-Identifier: Apache-2.0
// One TCP connection: reads a piece, has it parsed, hands over what it brought, and reads on when that is durable. So a
// sender that is faster than the store is held back by TCP. A quiet connection keeps no more than the message that it
// is in. It ends in order (FIN, close_notify) when all that it brought is durable, and only then; else it is reset, by
// the kernel, too, when the process is killed.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "message/builder.h"
#include "net/stream.h"
#include "protocol/syslog/frames.h"
#include "syslog/service.h"

namespace varve::syslog {

class Connection final : public net::Stream {
 public:
  explicit Connection(std::shared_ptr<Service> service);

 private:
  void on_start() override;
  void on_readable() override;
  void on_writable() override {}
  void on_deadline() override;
  void on_drain() override;
  void on_close() override {}

  void go_on();
  void take(std::string_view piece);
  void append();
  void appended(const Status& status);
  void end_in_order();

  std::shared_ptr<Service> service_;
  std::string sender_;
  protocol::syslog::Refusals refusals_;
  protocol::syslog::Frames frames_;
  std::unique_ptr<message::Batch> batch_;  // what is being stored
  std::size_t drained_bytes_ = 0;
  bool taking_ = false;    // inside append(): the store may answer at once
  bool waiting_ = false;   // for the store to be there again
  bool took_ = false;      // a piece, since the last pause
  bool pausing_ = false;   // slowed, until the deadline
  bool ended_ = false;     // no more input: end of the stream, or drained
  bool draining_ = false;  // what has arrived is taken, then it ends
};

}  // namespace varve::syslog
